"""Verdicts of pydantic-evals' SpanQuery on traces.json, as JSON.

    pip install pydantic-evals==2.62.0
    python spanquery.py > pydantic_evals.json
"""
import json, pathlib, sys
from datetime import datetime, timedelta, timezone

from pydantic_evals.otel.span_tree import SpanNode, SpanTree

here = pathlib.Path(__file__).parent
begin = datetime(2024, 1, 1, tzinfo=timezone.utc)
S = lambda n: timedelta(seconds=n)

QUERIES = {
    "name_equals": {"name_equals": "chat gpt-5"},
    "name_contains": {"name_contains": "search"},
    "name_matches_regex": {"name_matches_regex": "^execute_tool [a-c]"},
    "has_attributes": {"has_attributes": {"tenant": "acme"}},
    "has_attribute_keys": {"has_attribute_keys": ["tenant"]},
    "min_duration": {"name_contains": "execute_tool", "min_duration": S(2)},
    "max_duration": {"name_contains": "execute_tool", "max_duration": S(0.3)},
    "not_": {"name_contains": "execute_tool", "not_": {"name_contains": "search"}},
    "and_": {"and_": [{"name_contains": "execute_tool"}, {"name_contains": "calc"}]},
    "or_": {"or_": [{"name_contains": "open_page"}, {"name_contains": "GET"}]},
    "min_child_count": {"min_child_count": 3},
    "max_child_count": {"name_contains": "invoke_agent", "max_child_count": 2},
    "some_child_has": {"some_child_has": {"name_contains": "calculator"}},
    "all_children_have": {"name_contains": "invoke_agent", "all_children_have": {"name_contains": "tool"}},
    "no_child_has": {"name_contains": "invoke_agent", "no_child_has": {"name_contains": "calculator"}},
    "min_descendant_count": {"min_descendant_count": 4},
    "max_descendant_count": {"name_contains": "invoke_agent", "max_descendant_count": 2},
    "some_descendant_has": {"name_contains": "invoke_agent", "some_descendant_has": {"name_contains": "calculator"}},
    "no_descendant_has": {"name_contains": "invoke_agent", "no_descendant_has": {"name_contains": "open_page"}},
    "min_depth": {"min_depth": 2},
    "max_depth": {"name_contains": "tool", "max_depth": 1},
    "some_ancestor_has": {"name_contains": "calculator", "some_ancestor_has": {"name_contains": "search"}},
    "no_ancestor_has": {"name_contains": "calculator", "no_ancestor_has": {"name_contains": "search"}},
}

out = {}
for t in json.loads((here / "traces.json").read_text()):
    nodes = [SpanNode(name=s["name"], trace_id=1, span_id=s["id"], parent_span_id=s["parent"] or None,
                      start_timestamp=begin + timedelta(milliseconds=s["start"]), end_timestamp=begin + timedelta(milliseconds=s["end"]),
                      attributes=s.get("attributes", {}), status="error" if s.get("error") else "ok") for s in t["spans"]]
    tree = SpanTree()
    tree.add_spans(nodes)
    out[t["name"]] = {k: tree.any(q) for k, q in QUERIES.items()}
json.dump(out, sys.stdout, indent=1, sort_keys=True)
print()
