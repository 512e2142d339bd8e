import { expect, it } from 'vitest'
import { layOutContainersPicture } from './picture-layout.ts'

it('the picture has a line for each network beside the containers, and a line for the players', () => {
  const picture = layOutContainersPicture([
    { networks: ['front', 'back'], ports: ['80'] },
    { networks: ['back'], ports: [] },
    { networks: ['front'], ports: ['9000', '9001', '9002'] },
  ])
  // Three labels of 18 px are above three rows of 56 px.
  expect([picture.headHeight, picture.height]).toEqual([54, 222])
  const middles = [82, 138, 194]
  expect(picture.networks).toEqual([
    { name: 'front', x: 22, labelY: 27, top: 27, bottom: 194, stops: [middles[0], middles[2]] },
    { name: 'back', x: 44, labelY: 9, top: 9, bottom: 138, stops: [middles[0], middles[1]] },
  ])
  expect(picture.players).toEqual({ top: 54, bottom: 194, stops: [middles[0], middles[2]] })
  expect(picture.portLabels).toEqual(['80', '', '9000, 9001 +1'])
  expect(picture.lanesWidth).toBe(55)
})

it('if no container has a port for players, the picture does not show players', () => {
  expect(layOutContainersPicture([{ networks: ['default'], ports: [] }]).players).toBeUndefined()
})

it('the distance between the lines is smaller if there are many networks', () => {
  const networks = ['a', 'b', 'c', 'd', 'e']
  expect(layOutContainersPicture([{ networks, ports: [] }]).networks.map(({ x }) => x)).toEqual([14, 28, 42, 56, 70])
})
