import { beforeEach, describe, expect, it } from 'vitest'
import { createUpgradeHandler } from './upgrade.ts'

function source(entry: string) {
  return `<!doctype html><head><script type="module" crossorigin src="${entry}"></script></head>`
}
function pageOf(entry: string) {
  return new DOMParser().parseFromString(source(entry), 'text/html')
}

function setUp(loaded: string, readPage: () => Promise<string>) {
  let reloads = 0
  const reload = () => {
    reloads += 1
  }
  const upgrade = createUpgradeHandler(pageOf(loaded), { readPage, storage: sessionStorage, reload })
  return { upgrade, reloads: () => reloads }
}

beforeEach(() => {
  sessionStorage.clear()
  document.body.replaceChildren()
})

/** Types a text into a new field of the document. */
function type(text: string, inDraft = false) {
  const form = document.body.appendChild(document.createElement('form'))
  if (inDraft) form.dataset.draft = ''
  const field = form.appendChild(document.createElement('input'))
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
  return field
}

describe('the handler of application files that fail to load', () => {
  it('the handler reloads the page if the server has another version', async () => {
    const { upgrade, reloads } = setUp('/static/index-a.js', async () => source('/static/index-b.js'))
    expect(await upgrade()).toBe(true)
    expect(reloads()).toBe(1)
  })

  it('the handler does not reload the page if the server has the same version', async () => {
    const { upgrade, reloads } = setUp('/static/index-a.js', async () => source('/static/index-a.js'))
    expect(await upgrade()).toBe(false)
    expect(reloads()).toBe(0)
  })

  it('the handler does not reload the page while offline, or if the response is not a page of the application', async () => {
    const offline = setUp('/static/index-a.js', () => Promise.reject(new TypeError('Failed to fetch')))
    expect(await offline.upgrade()).toBe(false)
    const elsewhere = setUp('/static/index-a.js', async () => '<h1>Bad gateway</h1>')
    expect(await elsewhere.upgrade()).toBe(false)
  })

  it('the handler reloads the page once per version, even if two versions alternate', async () => {
    const reload = async (loaded: string, offered: string) =>
      setUp(`/static/index-${loaded}.js`, async () => source(`/static/index-${offered}.js`)).upgrade()
    expect(await reload('a', 'b')).toBe(true)
    expect(await reload('b', 'a')).toBe(true)
    expect(await reload('a', 'b')).toBe(false)
    expect(await reload('b', 'a')).toBe(false)
    expect(await reload('b', 'c')).toBe(true)
  })

  it('the handler does not reload the page while the user types text that no draft stores', async () => {
    const { upgrade } = setUp('/static/index-a.js', async () => source('/static/index-b.js'))
    const field = type('half a question')
    expect(await upgrade()).toBe(false)
    field.value = ' '
    type('flag{half', true)
    expect(await upgrade()).toBe(true)
  })
})
