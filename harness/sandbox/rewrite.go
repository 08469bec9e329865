package sandbox

import (
	"go.starlark.net/syntax"
)

func guardFile(f *syntax.File) { guardStmts(f.Stmts) }

func guardStmts(list []syntax.Stmt) {
	for _, s := range list {
		guardStmt(s)
	}
}

func guardStmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		s.RHS = guard(s.RHS)
		if op, ok := assigned[s.Op]; ok {
			s.RHS = guardCall(s.OpPos, "$binary", literal(s.OpPos, op.String()), s.LHS, s.RHS)
			s.Op = syntax.EQ
		}
		s.LHS = guardTarget(s.LHS)
	case *syntax.DefStmt:
		guardParams(s.Params)
		guardStmts(s.Body)
	case *syntax.ExprStmt:
		s.X = guard(s.X)
	case *syntax.ForStmt:
		s.Vars, s.X = guardTarget(s.Vars), guard(s.X)
		guardStmts(s.Body)
	case *syntax.WhileStmt:
		s.Cond = guard(s.Cond)
		guardStmts(s.Body)
	case *syntax.IfStmt:
		s.Cond = guard(s.Cond)
		guardStmts(s.True)
		guardStmts(s.False)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = guard(s.Result)
		}
	}
}

// guardTarget guards inside of what is assigned to: a[i + 1] = x.
func guardTarget(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.IndexExpr:
		e.X, e.Y = guard(e.X), guardKey(e.Y)
	case *syntax.DotExpr:
		e.X = guard(e.X)
	}
	return e
}

// guardKey guards what may be hashed.
func guardKey(e syntax.Expr) syntax.Expr {
	at, _ := e.Span()
	if _, plain := e.(*syntax.Literal); plain {
		return e
	}
	return guardCall(at, "$key", guard(e))
}

func guardParams(params []syntax.Expr) {
	for _, p := range params {
		if d, ok := p.(*syntax.BinaryExpr); ok {
			d.Y = guard(d.Y)
		}
	}
}

func guardAll(list []syntax.Expr) {
	for i := range list {
		list[i] = guard(list[i])
	}
}

// guard is the expression with every operation that can allocate rewritten.
func guard(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		e.X, e.Y = guard(e.X), guard(e.Y)
		if guarded[e.Op] {
			return guardCall(e.OpPos, "$binary", literal(e.OpPos, e.Op.String()), e.X, e.Y)
		}
	case *syntax.CallExpr:
		for i, a := range e.Args {
			// name=value and *list, **dict stay as they are written.
			switch a := a.(type) {
			case *syntax.BinaryExpr:
				if a.Op == syntax.EQ {
					a.Y = guard(a.Y)
					continue
				}
			case *syntax.UnaryExpr:
				if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
					a.X = guardCall(a.OpPos, "$unpack", guard(a.X))
					continue
				}
			}
			e.Args[i] = guard(a)
		}
		return guardCall(e.Lparen, "$call", append([]syntax.Expr{guard(e.Fn)}, e.Args...)...)
	case *syntax.SliceExpr:
		part := func(x syntax.Expr) syntax.Expr {
			if x == nil {
				return &syntax.Ident{NamePos: e.Lbrack, Name: "None"}
			}
			return guard(x)
		}
		return guardCall(e.Lbrack, "$slice", guard(e.X), part(e.Lo), part(e.Hi), part(e.Step))
	case *syntax.Comprehension:
		for _, c := range e.Clauses {
			switch c := c.(type) {
			case *syntax.ForClause:
				c.X = guard(c.X)
			case *syntax.IfClause:
				c.Cond = guard(c.Cond)
			}
		}
		e.Body = guard(e.Body)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = guard(e.Cond), guard(e.True), guard(e.False)
	case *syntax.DictEntry:
		e.Key, e.Value = guardKey(e.Key), guard(e.Value)
	case *syntax.DictExpr:
		guardAll(e.List)
	case *syntax.ListExpr:
		guardAll(e.List)
	case *syntax.TupleExpr:
		guardAll(e.List)
	case *syntax.DotExpr:
		e.X = guard(e.X)
	case *syntax.IndexExpr:
		e.X, e.Y = guard(e.X), guardKey(e.Y)
	case *syntax.LambdaExpr:
		guardParams(e.Params)
		e.Body = guard(e.Body)
	case *syntax.ParenExpr:
		e.X = guard(e.X)
	case *syntax.UnaryExpr:
		if e.X != nil {
			e.X = guard(e.X)
		}
	}
	return e
}

func guardCall(at syntax.Position, name string, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

func literal(at syntax.Position, s string) syntax.Expr {
	return &syntax.Literal{Token: syntax.STRING, TokenPos: at, Raw: `"` + s + `"`, Value: s}
}
