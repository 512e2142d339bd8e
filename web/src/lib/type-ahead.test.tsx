import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTypeAhead } from './type-ahead.ts'

const user = userEvent.setup()
let typeAhead: ReturnType<typeof createTypeAhead>
let stop: () => void

beforeEach(() => {
  typeAhead = createTypeAhead(document)
  stop = typeAhead.listen()
})
afterEach(() => {
  stop()
  typeAhead.cancel()
  document.body.replaceChildren()
})

function addField(key = 'flag-7') {
  const form = document.createElement('form')
  const field = document.createElement('input')
  form.append(field)
  document.body.append(form)
  return { field, form, remove: typeAhead.own(key, field) }
}

it.each(['ctf{gnu}', 'flag{abc}', '?/jk', 'ggg n'])(
  'the field receives %j if it is typed before the field exists',
  async (text) => {
    typeAhead.expect('flag-7', 'Flag')
    await user.keyboard(text.replaceAll('{', '{{'))
    const { field } = addField()
    expect(field.value).toBe(text)
    expect(document.activeElement).toBe(field)
  },
)

it('the field receives a paste between typed parts, trimmed and on one line', async () => {
  typeAhead.expect('flag-7', 'Flag')
  await user.keyboard('a')
  await user.paste('  b\n c ')
  await user.keyboard('d')
  expect(addField().field.value).toBe('abcd')
})

it('the field receives the text only after the input method has finished', async () => {
  typeAhead.expect('flag-7', 'Flag')
  await user.keyboard('a')
  const unseen = document.activeElement as HTMLInputElement
  unseen.dispatchEvent(new CompositionEvent('compositionstart'))
  const { field } = addField()
  expect(document.activeElement).toBe(unseen)
  unseen.value += '錨'
  unseen.dispatchEvent(new CompositionEvent('compositionend'))
  expect(field.value).toBe('a錨')
  expect(document.activeElement).toBe(field)
})

it('the page submits a form later if the user presses Enter before the form appears', async () => {
  typeAhead.expect('flag-7', 'Flag')
  await user.keyboard('flag{{a}{Enter}')
  const form = document.createElement('form')
  const field = document.createElement('input')
  form.append(field)
  document.body.append(form)
  const submitted = vi.fn()
  form.requestSubmit = () => submitted(field.value)
  typeAhead.own('flag-7', field)
  expect(submitted.mock.calls).toEqual([['flag{a}']])
})

it('the flag field receives all keys while no text field has the focus', async () => {
  const { field, remove } = addField()
  const button = document.createElement('button')
  document.body.append(button)
  button.focus()
  await user.keyboard('gn')
  expect(field.value).toBe('gn')
  remove()
  field.blur()
  await user.keyboard('x')
  expect(field.value).toBe('gn')
})

it.each([
  ['a field', '<textarea></textarea>'],
  ['a terminal', '<div data-dock><button>x</button></div>'],
  ['a dialog above', '<div role="dialog"><button>x</button></div>'],
  ['a menu', '<div role="menu"><button>x</button></div>'],
])('the field receives no keys that are pressed in %s', async (_, html) => {
  const { field } = addField()
  document.body.insertAdjacentHTML('beforeend', html)
  document.body.querySelector<HTMLElement>('textarea,button')?.focus()
  await user.keyboard('abc')
  expect(field.value).toBe('')
})

it('the flag field receives symbols that need AltGr or Option, and ignores shortcuts with Ctrl, Alt or Cmd', async () => {
  const { field } = addField()
  const press = (init: KeyboardEventInit) => {
    field.blur()
    document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...init }))
    return document.activeElement === field
  }
  expect(press({ key: 'k', ctrlKey: true })).toBe(false)
  expect(press({ key: 'f', altKey: true })).toBe(false)
  expect(press({ key: 'v', metaKey: true })).toBe(false)
  expect(press({ key: '{', ctrlKey: true, altKey: true, modifierAltGraph: true })).toBe(true)
  expect(press({ key: '{', altKey: true })).toBe(true)
  expect(press({ key: 'Dead' })).toBe(true)
  expect(press({ key: 'ArrowRight' })).toBe(false)
  expect(press({ key: ' ' })).toBe(false)
})

it('the typed text is dropped if the field can no longer appear', async () => {
  let isPending = true
  typeAhead.expect('search', 'Search', { isEager: true, isPending: () => isPending })
  await user.keyboard('ab')
  isPending = false
  ;(document.activeElement as HTMLElement).blur()
  await user.keyboard('c')
  const { field } = addField('search')
  expect(field.value).toBe('')
})

it('the expected field receives keys even if a field of the previous dialog has the focus', async () => {
  const { field } = addField('flag-7')
  field.focus()
  typeAhead.expect('flag-8', 'Flag')
  await user.keyboard('ab')
  expect(field.value).toBe('')
  expect(addField('flag-8').field.value).toBe('ab')
})
