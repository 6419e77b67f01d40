module program

go 1.24

require latchkeyapi v0.0.0
