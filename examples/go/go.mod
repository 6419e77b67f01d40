module example.com/reports-api

go 1.24.0

require latchkey.example/latchkey v0.0.0

require github.com/go-jose/go-jose/v4 v4.1.7 // indirect

// The path of the module is a placeholder until it is published.
replace latchkey.example/latchkey => ../../sdk/go
