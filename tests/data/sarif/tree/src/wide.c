int main(void) {
	int é = 1; int x;
	char *q = 0; return *q + x;
}
