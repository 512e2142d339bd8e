//go:build tools

// Package tools names the programs that the tests build.
package tools

import _ "github.com/dexidp/dex/cmd/dex"
