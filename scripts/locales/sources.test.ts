import { expect, test } from 'vitest'
import { readSource } from './sources.ts'

function read(code: string) {
  return readSource('page.tsx', code, new Set(['common', 'games']))
}
function patterns(uses: readonly { text: string; area: string | undefined }[]) {
  return uses.map(({ text, area }) => [area, text])
}

test('keys of texts are found in calls of t, in both branches of a condition, and in i18nKey', () => {
  const { lookups, areas } = read(
    `const { t } = useTranslation('games')
     const x = t(a ? 'one' : 'two'); t(\`kind.\${k}\`); t('common:save')
     const y = <Trans i18nKey="text.blood" />`,
  )
  expect([...areas].sort()).toEqual(['common', 'games'])
  expect(patterns(lookups)).toEqual([
    [undefined, 'one'],
    [undefined, 'two'],
    [undefined, 'kind.…'],
    ['common', 'common:save'],
    [undefined, 'text.blood'],
  ])
  expect(lookups[2]?.pattern.test('kind.flags')).toBe(true)
  expect(lookups[2]?.pattern.test('other.flags')).toBe(false)
})

test('a call of useTranslation without an area uses the common area', () => {
  expect([...read('const { t } = useTranslation()').areas]).toEqual(['common'])
})

test('`readSource` returns each hard-coded text with the line number', () => {
  const { hardCoded } = read(`const x = (
    <p title="Help" className="wide">
      Hello {name}
      {ok ? 'Yes indeed' : null}
      <input placeholder={\`Type \${what}\`} />
    </p>
  )
  toast({ title: 'Saved', tone: 'ok' })`)
  expect(hardCoded).toEqual([
    { text: 'Hello', line: 3 },
    { text: 'Yes indeed', line: 4 },
    { text: 'Help', line: 2 },
    { text: 'Type …', line: 5 },
    { text: 'Saved', line: 8 },
  ])
})

test('symbols, numbers and class names are not texts', () => {
  expect(read('const x = <b className="big">×{n} · 3</b>').hardCoded).toEqual([])
})
