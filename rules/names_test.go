package rules

import (
	"slices"
	"testing"
)

func TestNameWords(t *testing.T) {
	tests := []struct {
		name string
		want []string
	}{
		{"delete_user", []string{"delete", "user"}},
		{"userDelete", []string{"user", "delete"}},
		{"orders.cancel", []string{"orders", "cancel"}},
		{"cancel-order", []string{"cancel", "order"}},
		{"DELETE /orders/{id}", []string{"delete", "orders", "id"}},
		{"mcp__shop__undeleteItem", []string{"mcp", "shop", "undelete", "item"}},
		{"getHTTPResponse", []string{"get", "http", "response"}},
		{"parseURL", []string{"parse", "url"}},
		{"s3Delete2FA", []string{"s3", "delete2", "fa"}},
		{"RM", []string{"rm"}},
		{"订单.删除", []string{"订单", "删除"}},
		{"löscheÄnderung", []string{"lösche", "änderung"}},
		{"__", []string{}},
		{"", []string{}},
	}
	for _, tt := range tests {
		if got := nameWords(tt.name); !slices.Equal(got, tt.want) {
			t.Errorf("nameWords(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
