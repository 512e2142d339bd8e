import { expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

function fieldsOf(files: Readonly<Record<string, string>>) {
  return importTree(createTextTree(files)).map(({ file, findings }): [string, string[]] => [
    file,
    findings.filter((finding) => finding.file !== file).map((finding) => `${finding.file}:${finding.line} ${finding.field}`),
  ])
}

it('dropped fields of the rcds project file are reported once, with its first challenge', () => {
  const project =
    'docker: { image: { prefix: registry.test/ctf } }\nflagFormat: ctf{[a-z]*}\ndefaults: { value: 100, sortWeight: 3 }\nbackends: []\nodd: 1\n'
  const files = { 'a/challenge.yaml': 'name: A\nflag: ctf{a}\n', 'b/challenge.yaml': 'name: B\nflag: ctf{b}\n' }
  expect(fieldsOf({ ...files, 'rcds.yaml': project })).toEqual([
    [
      'a/challenge.yaml',
      [
        'rcds.yaml:4 backends',
        'rcds.yaml:3 defaults.sortWeight',
        'rcds.yaml:1 docker',
        'rcds.yaml:2 flagFormat',
        'rcds.yaml:5 odd',
      ],
    ],
    ['b/challenge.yaml', []],
  ])
})

it('dropped fields of the Konata project file are reported', () => {
  const project =
    'secrets: { token: { env: TOKEN } }\nrctf: { baseUrl: x }\ntemplates: { challengeDescription: x }\nattachment_format: zip\nattachmentWrapDir: true\nodd: 1\n'
  const challenge = 'challenges: [{ category: misc, name: A, flags: { rctf: "ctf{a}" } }]\n'
  const [[, reported] = []] = fieldsOf({ 'kona.yaml': project, 'misc/a/kona.yml': challenge })
  const fields = ['3 templates', '1 secrets', '2 rctf', '4 attachment_format', '5 attachmentWrapDir', '6 odd']
  expect(reported?.toSorted()).toEqual(fields.map((each) => `kona.yaml:${each}`).toSorted())
  // `other/kona.yaml` is a project file without challenges below its folder, so it is ignored. `misc/a/kona.yml` is a descriptor,
  // because it lists a challenge.
  expect(fieldsOf({ 'other/kona.yaml': project, 'misc/a/kona.yml': challenge })).toEqual([['misc/a/kona.yml', []]])
})

it('an unreadable project file is reported', () => {
  expect(fieldsOf({ 'rcds.yaml': 'docker: "x\n', 'a/challenge.yaml': 'name: A\nflag: ctf{a}\n' })).toEqual([
    ['a/challenge.yaml', [expect.stringMatching(/^rcds\.yaml:\d+ $/)]],
  ])
})
