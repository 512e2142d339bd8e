// Loaded into demo challenges before their own code. Their standard input is a pipe from the platform that carries nothing: when
// it ends, the platform is gone, also after kill -9, and the challenge must not stay behind.
process.stdin.on('end', () => process.exit(0))
process.stdin.on('error', () => process.exit(0))
process.stdin.resume()
process.stdin.unref?.()
