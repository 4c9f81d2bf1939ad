# Prints the names of the tools of a declaration, one a line: the keys of the object that is the
# member "tools" of the outermost one. JSON with comments; a file that is none gives what it gives.
# Records end at quotes: each one is a piece outside of strings, or a piece of a string.
BEGIN { RS = "\"" }
inside {
  value = value $0
  if (match($0, /\\+$/) && RLENGTH % 2 == 1) { value = value "\""; next }
  inside = 0; ended = 1; next
}
{
  text = $0
  while (text != "") {
    if (++steps > 20000) exit
    if (comment == "") {
      if (!match(text, /\/[\/*]/)) { code = code text; break }
      code = code substr(text, 1, RSTART - 1)
      comment = substr(text, RSTART + 1, 1)
      text = substr(text, RSTART + 2)
    } else {
      at = comment == "/" ? match(text, /[\r\n]/) : index(text, "*/")
      if (!at) break
      text = substr(text, at + (comment == "/" ? 1 : 2))
      comment = ""
    }
  }
  if (comment != "") next
  if (ended && code ~ /^[ \t\r\n]*:/) {
    if (depth == 1) member = value
    else if (depth == 2 && member == "tools" && length(value) <= 64 && value ~ /^[A-Za-z0-9._+][A-Za-z0-9._+-]*$/) print value
  }
  depth += gsub(/[{[]/, "", code) - gsub(/[]}]/, "", code)
  code = ""; ended = 0; inside = 1; value = ""
}
