import { afterAll, expect, test } from 'vitest'
import { createMarkdownThread } from './markdown-thread.ts'

const hash = 'a'.repeat(64)
const thread = createMarkdownThread(3_000)
afterAll(() => thread.close())

async function rendered(source: string): Promise<string> {
  return (await thread.render(source, (given) => (given === hash ? 'files/map.png' : undefined))).text.trim()
}

test('a text is converted in the thread, with the addresses of its files', async () => {
  expect(await rendered(`**See** ![map](/assets/${hash}/map.png)`)).toBe(
    '<p><strong>See</strong> <img src="files/map.png" alt="map"></p>',
  )
  expect(await rendered(`![map](/assets/${'b'.repeat(64)}/map.png)`)).toBe('<p>map</p>')
})

test('other work runs while a text takes too long, and only this text remains as it is', async () => {
  await rendered('first')
  let turns = 0
  let isRendering = true
  const countTurns = () => {
    turns += 1
    if (isRendering) setTimeout(countTurns, 10)
  }
  countTurns()
  const slow = await rendered(`${'a.'.repeat(120_000)}@`)
  isRendering = false
  expect(slow).toMatch(/^<pre>a\.a\./)
  expect(turns).toBeGreaterThan(3)
  expect(await rendered('_next_')).toBe('<p><em>next</em></p>')
})

test('a text remains as it is after the thread was closed', async () => {
  const closed = createMarkdownThread()
  await closed.close()
  expect((await closed.render('**x**', () => undefined)).text).toBe('<pre>**x**</pre>')
})
