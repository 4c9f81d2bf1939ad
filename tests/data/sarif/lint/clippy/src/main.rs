fn main() {
    let unused = 1;
    let mut list = Vec::new();
    list.push(2);
    if list.len() == 0 {
        return;
    }
}
