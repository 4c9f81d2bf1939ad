def twice(value)
  unused = 1
  if value == nil then return "x" end
  return value * 2
end
