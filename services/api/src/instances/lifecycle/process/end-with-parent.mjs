// Module that demo challenges preload. Their standard input is a pipe from the platform, which sends no data. The pipe closes
// when the platform ends, even by kill -9. The challenge then exits.
process.stdin.on('end', () => process.exit(0))
process.stdin.on('error', () => process.exit(0))
process.stdin.resume()
process.stdin.unref?.()
