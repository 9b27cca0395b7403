package ramz

// Ptr is a pointer to value, for fields where empty is another thing than absent: DefaultSenderID: ramz.Ptr("").
func Ptr[T any](value T) *T { return &value }
