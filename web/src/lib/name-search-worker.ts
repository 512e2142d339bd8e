/** Tests a pattern on names in a worker, which is terminated if the pattern runs too long. */
addEventListener('message', ({ data }: MessageEvent<{ readonly pattern: string; readonly names: readonly string[] }>) => {
  const pattern = new RegExp(data.pattern, 'iu')
  const found = data.names.flatMap((name, index) => (pattern.test(name) ? [index] : []))
  postMessage(found)
})
postMessage('ready')
