/** Tests names against a pattern in a worker. The page ends the worker if the pattern takes too long. */
addEventListener('message', ({ data }: MessageEvent<Readonly<{ pattern: string; names: readonly string[] }>>) => {
  const pattern = new RegExp(data.pattern, 'iu')
  const found = data.names.flatMap((name, index) => (pattern.test(name) ? [index] : []))
  postMessage(found)
})
postMessage('ready')
