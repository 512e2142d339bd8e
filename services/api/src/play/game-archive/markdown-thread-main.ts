// The worker thread that renders Markdown. `markdown-thread.ts` starts it and sends it one text at a time.
import { parentPort } from 'node:worker_threads'
import { renderMarkdown } from './markdown.ts'
import type { MarkdownReport, MarkdownRequest } from './markdown-thread.ts'

if (!parentPort) throw new Error('This program runs only as a worker thread')
const port = parentPort

port.on('message', ({ source, addresses }: MarkdownRequest) => {
  const { text } = renderMarkdown(source, (hash) => addresses.get(hash))
  port.postMessage({ text } satisfies MarkdownReport)
})
port.postMessage('ready')
