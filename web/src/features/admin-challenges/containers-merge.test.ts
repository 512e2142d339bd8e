import { expect, it } from 'vitest'
import { threeContainers } from '../../testing/challenge.ts'
import { addEmptyContainer, removeContainer, type TypedContainer, toTypedContainers } from './containers-form.ts'
import { mergeContainers } from './containers-merge.ts'

const base = toTypedContainers({ containers: threeContainers })

function changed(key: string, patch: Partial<TypedContainer>, from: readonly TypedContainer[] = base) {
  return from.map((container) => (container.key === key ? { ...container, ...patch } : container))
}

it('the merge retains changes of two users to different containers, and to different fields of one container', () => {
  const mine = changed('db', { image: 'x/db:2' }, addEmptyContainer(base))
  const theirs = changed('db', { memoryMb: '512' }, changed('page', { port: '8080' }))
  const merged = mergeContainers(base, mine, theirs)
  expect(merged?.map(({ name, image, port, memoryMb }) => [name, image, port, memoryMb])).toEqual([
    ['page', 'x/page:1', '8080', '256'],
    ['db', 'x/db:2', '', '512'],
    ['bot', 'x/bot:1', '', '64'],
    ['container-2', '', '', '64'],
  ])
})

it('the merge retains equal changes of two users', () => {
  const same = changed('db', { image: 'x/db:2' })
  expect(mergeContainers(base, same, same)).toEqual(same)
})

it.each<[string, readonly TypedContainer[], readonly TypedContainer[]]>([
  ['both change one field', changed('db', { image: 'x/db:2' }), changed('db', { image: 'x/db:3' })],
  ['the other user removes a container', changed('db', { image: 'x/db:2' }), removeContainer(base, 2)],
  ['the other user renames a container', changed('db', { image: 'x/db:2' }), changed('db', { key: 'data', name: 'data' })],
  ['one removes the container that the other changes', removeContainer(base, 1), changed('db', { image: 'x/db:2' })],
])('reports a conflict if %s', (_, mine, theirs) => {
  expect(mergeContainers(base, mine, theirs)).toBeUndefined()
})
