const count: number = 'two';
console.log(missing);
