module capstan/operator/capture

go 1.19
