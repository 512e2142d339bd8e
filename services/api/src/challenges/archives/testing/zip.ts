import { strToU8, zipSync } from 'fflate'

export function createZipFile(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  return Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(files).map(([path, content]) => [path, typeof content === 'string' ? strToU8(content) : content]),
      ),
    ),
  )
}

/** Returns a challenge file in the format of this platform. */
export function createChallengeFileText(title: string, more = ''): string {
  return [
    'apiVersion: capstan/v1',
    'kind: Challenge',
    `name: ${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
    `title: ${title}`,
    'category: Web',
    'description: Find it.',
    'flags: [{ text: "flag{found}" }]',
    more,
  ].join('\n')
}

export function createPackageTexts(game: object = {}, challenge: object = {}): Record<string, string> {
  return {
    'manifest.json': JSON.stringify({
      version: '1.0',
      format: 'CapstanGame',
      exportedAt: '2026-01-01T00:00:00.000Z',
      exporterVersion: '0.1.0',
      game: { id: 7, title: 'Packed' },
      statistics: { challengeCount: 1, divisionCount: 0, totalFlags: 1, totalFiles: 0, totalFileSize: 0 },
    }),
    'game.json': JSON.stringify({
      title: 'Packed',
      startTime: '2026-01-01T00:00:00.000Z',
      endTime: '2026-01-02T00:00:00.000Z',
      ...game,
    }),
    'challenges/challenge-3.json': JSON.stringify({
      id: 3,
      title: 'Inside',
      category: 'Web',
      type: 'StaticAttachment',
      flags: { static: [{ value: 'flag{inside}' }] },
      ...challenge,
    }),
  }
}

export function createPackageZip(
  game: object = {},
  challenge: object = {},
  files: Readonly<Record<string, string>> = {},
): Buffer {
  return createZipFile({ ...createPackageTexts(game, challenge), ...files })
}
