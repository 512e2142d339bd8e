/** Tries a pattern on names, away from the page: a pattern that runs away is ended together with this worker. */
addEventListener('message', ({ data }: MessageEvent<{ readonly pattern: string; readonly names: readonly string[] }>) => {
  const pattern = new RegExp(data.pattern, 'iu')
  const found = data.names.flatMap((name, index) => (pattern.test(name) ? [index] : []))
  postMessage(found)
})
postMessage('ready')
