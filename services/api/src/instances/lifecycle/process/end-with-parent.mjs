// Module that demo challenges preload. The standard input of a challenge is a pipe to which the platform writes no data. The pipe
// closes when the platform ends, even by kill -9. The challenge then exits.
process.stdin.on('end', () => process.exit(0))
process.stdin.on('error', () => process.exit(0))
process.stdin.resume()
process.stdin.unref?.()
