import { setImmediate as immediate } from 'node:timers/promises'

const minChunkLength = 32 * 1024

/** Joins texts into UTF-8 chunks of 32 Ki characters or slightly more. Other calls are served after each chunk. */
export async function* joinTextsIntoChunks(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk = ''
  for await (const text of texts) {
    chunk += text
    if (chunk.length < minChunkLength) continue
    yield Buffer.from(chunk)
    chunk = ''
    await immediate()
  }
  yield Buffer.from(chunk)
}
