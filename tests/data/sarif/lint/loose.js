var first = 1;
if (first == '1') {
  undefinedName();
}
