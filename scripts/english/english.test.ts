import { expect, test } from 'vitest'
import { proseOfCode, proseOfDocument } from './prose.ts'
import { findProseFault } from './refused.ts'

function doc(text: string) {
  return findProseFault({ line: 1, text, isDoc: true })
}
function line(text: string) {
  return findProseFault({ line: 1, text, isDoc: false })
}

test('the check of English reads the comments and the test titles of a module', () => {
  const source = [
    '/** Maximum size. */',
    "const name = 'nobody' // user of the process",
    "it('answers once', () => {})",
    "test.each([1])('counts %i', () => {})",
    'describe(`the bus of ${' + 'name}`, () => {})',
  ].join('\n')
  expect(proseOfCode('example.test.ts', source)).toEqual([
    { line: 1, text: 'Maximum size.', isDoc: true },
    { line: 2, text: 'user of the process', isDoc: false },
    { line: 3, text: 'answers once', isDoc: false },
    { line: 4, text: 'counts %i', isDoc: false },
    { line: 5, text: 'the bus of  ', isDoc: false },
  ])
})

test('the check of English joins the lines of a comment without their asterisks', () => {
  expect(proseOfCode('example.ts', '/**\n * Returns the board.\n * @throws Error\n */\nexport const board = 1')).toEqual([
    { line: 1, text: 'Returns the board.\n@throws Error', isDoc: true },
  ])
})

test('the check of English reads all texts of a catalog, except names of modules', () => {
  const source = "import { texts } from './texts.ts'\nexport const enUS = { title: 'Nobody is here', own: texts }"
  expect(proseOfCode('en-US.ts', source, { isCatalog: true }).map(({ text }) => text)).toEqual(['Nobody is here'])
})

test('the check of English ignores code blocks of a document', () => {
  expect(proseOfDocument('# Title\n\n```sh\nwhoever\n```\nText').map(({ line: at, text }) => [at, text])).toEqual([
    [1, '# Title'],
    [6, 'Text'],
  ])
})

test.each([
  ['The port goes to whoever asks first.', 'whoever'],
  ['Whatever it throws is logged.', 'Whatever'],
  ['Nobody reads the answer.', 'Nobody'],
  ['Somebody else wrote the lease.', 'Somebody'],
  ['It listens on a port of its own.', 'of its own'],
  ['A client that is told to wait.', 'is told'],
  ['The list is read anew.', 'anew'],
  ['Counts written meanwhile include it.', 'meanwhile'],
  ['Questions that come together share a statement.', 'come together'],
  ['Time of the release; null without one.', 'null without one'],
  ['A revoked award counts nowhere.', 'counts nowhere'],
  ['The bytes lie elsewhere, and the row stands in the table.', 'stands in'],
])('the sentence "%s" is refused because of "%s"', (text, word) => {
  expect(line(text)).toMatch(`"${word}"`)
  expect(doc(text)).toMatch(`"${word}"`)
})

test.each([
  ['What the owner is asked.', 'What'],
  ['Whether the port is free.', 'Whether'],
  ['Undefined: it was deleted.', 'Undefined:'],
])('a doc comment is refused if it starts like %j', (text, start) => {
  expect(doc(text)).toMatch(`"${start}" starts a fragment`)
  expect(line(text)).toBeUndefined()
})

test.each([
  'Maximum upload time of an archive, in ms.',
  'True if the instance accepts no new connections.',
  'Undefined if the client named no server.',
  'Runs as the user `nobody`.',
  'However long the answer takes, the connection remains.',
])('the doc comment %j is accepted', (text) => {
  expect([doc(text), line(text)]).toEqual([undefined, undefined])
})
