/** Maximum number of cached values of a header, so that no client can fill the memory. Browsers send only few different values. */
const maxCachedValues = 500

/**
 * Returns a function that caches the results of `read`, which parses the value of a header. Limit the length of the values before
 * the call.
 */
export function cacheByHeader<Result extends string>(read: (value: string) => Result): (value: string) => Result {
  const results = new Map<string, Result>()
  return (value) => {
    const known = results.get(value)
    if (known !== undefined) return known
    const result = read(value)
    if (results.size >= maxCachedValues) results.clear()
    results.set(value, result)
    return result
  }
}
