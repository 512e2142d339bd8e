// Preloaded into demo challenges. Their standard input is a pipe from the platform without data. The pipe closes when the
// platform ends, even by kill -9, and the challenge exits too.
process.stdin.on('end', () => process.exit(0))
process.stdin.on('error', () => process.exit(0))
process.stdin.resume()
process.stdin.unref?.()
