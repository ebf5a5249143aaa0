/**
 * Goes on with a value: at once where it is there already, because to wait costs the server its fast path.
 * Whatever `goOn` throws is thrown, or rejects.
 */
export function after<T, R>(value: T | Promise<T>, goOn: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
