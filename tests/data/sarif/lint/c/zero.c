int first(const int *list, int count) {
  const int *at = 0;
  if (count > 0) at = list;
  int unused = 1;
  return *at;
}
