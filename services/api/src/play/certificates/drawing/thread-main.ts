// The worker thread that draws certificates. `thread.ts` starts it and sends it one page at a time.
import { parentPort } from 'node:worker_threads'
import { createFonts } from './fonts.ts'
import { createPageDrawer } from './page.ts'
import type { DrawingReport, DrawingRequest } from './thread.ts'

if (!parentPort) throw new Error('This program runs only as a worker thread')
const port = parentPort
const draw = createPageDrawer(createFonts())

port.on('message', ({ page }: DrawingRequest) => {
  draw(page).then(
    (pdf) => port.postMessage({ pdf } satisfies DrawingReport),
    (error: unknown) => port.postMessage({ error } satisfies DrawingReport),
  )
})
