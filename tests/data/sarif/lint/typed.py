def half(value: int) -> int:
    return value / 2


half("x")
