// Loaded into demo challenges before their own code. Their standard input is a pipe from the platform without data. When it ends,
// the platform has ended, perhaps by kill -9, and the challenge exits too.
process.stdin.on('end', () => process.exit(0))
process.stdin.on('error', () => process.exit(0))
process.stdin.resume()
process.stdin.unref?.()
