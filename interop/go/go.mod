module latchkey.example/interop

go 1.24.0

require latchkey.example/latchkey v0.0.0

require github.com/go-jose/go-jose/v4 v4.1.7 // indirect

replace latchkey.example/latchkey => ../../sdk/go
