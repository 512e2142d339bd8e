import { createHash } from 'node:crypto'
import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { attemptAnnotation, lineRunAnnotation } from '@capstan/challenge-instance/labels'
import { describe, expect, it } from 'vitest'
import { anInstance, captureSettings, someSettings } from '../../testing/builders.ts'
import { desiredObjects } from './index.ts'
import type { ContainerSpec } from './pod.ts'
import { secretNameOf } from './secret.ts'

interface PodShape {
  containers: ContainerSpec[]
  initContainers?: ContainerSpec[]
  volumes?: { name: string; emptyDir?: { sizeLimit?: string }; secret?: object }[]
}

function podOf(spec: Partial<ChallengeInstanceSpec>, changes = {}) {
  return desiredObjects(anInstance(spec), someSettings(changes), 0).pod.spec as PodShape
}
function challengeOf(container: NonNullable<ChallengeInstanceSpec['container']>, spec: Partial<ChallengeInstanceSpec> = {}) {
  return podOf({ ...spec, container }).containers[0]!
}

const aFile = { path: '/home/ctf/flag.txt', mode: '0400', owner: 1000 }
function withFile(file: typeof aFile) {
  return { flag: { secretName: 'ci-1', environmentNames: [], file } }
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    members.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, member]) => [name, inOrder(member)]),
  )
}

/**
 * Returns a digest of the desired objects. It must equal the digest in version 0.1.0, so that an upgrade does not change running
 * instances.
 */
function digestOf(spec: Partial<ChallengeInstanceSpec>, changes = {}): string {
  return createHash('sha256')
    .update(JSON.stringify(inOrder(desiredObjects(anInstance(spec), someSettings(changes), 0))))
    .digest('hex')
    .slice(0, 16)
}

describe('an instance of an earlier version', () => {
  it.each([
    ['with only the required fields', {}, {}, 'a932691bd78cc9da'],
    [
      'with a flag and a node port',
      { exposure: 'NodePort', flag: { secretName: 'ci-1', environmentNames: ['FLAG'] } },
      {},
      '799538354349fbec',
    ],
    [
      'with recorded traffic and egress Internet',
      { egress: 'Internet', capture: { enabled: true, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 } },
      { capture: captureSettings },
      '4d962496393ed0b6',
    ],
  ] as const)('has the same objects as in version 0.1.0 %s', (_what, spec, changes, digest) => {
    expect(digestOf(spec as unknown as Partial<ChallengeInstanceSpec>, changes)).toBe(digest)
  })
})

describe('the container of a challenge', () => {
  it('has an escaped command, so that Kubernetes replaces no variables in the command', () => {
    const container = challengeOf({ command: ['/bin/sh', '-c'], args: ['echo $(FLAG) $HOME $$'] })
    expect(container.command).toEqual(['/bin/sh', '-c'])
    expect(container.args).toEqual(['echo $$(FLAG) $$HOME $$$$'])
  })

  it('has the environment variables of the challenge, but variables of the platform override them', () => {
    const { env } = challengeOf(
      {
        environment: [
          { name: 'MODE', value: '$(TEAM_ID)' },
          { name: 'FLAG', value: 'mine' },
          { name: 'KEY', value: 'plain' },
        ],
        secretEnvironment: ['KEY'],
      },
      { flag: { secretName: 'ci-1', environmentNames: ['FLAG'] } },
    )
    expect(env).toEqual([
      { name: 'MODE', value: '$$(TEAM_ID)' },
      { name: 'KEY', valueFrom: { secretKeyRef: { name: 'ci-1', key: 'variable.KEY' } } },
      { name: 'TEAM_ID', value: '7' },
      { name: 'FLAG', valueFrom: { secretKeyRef: { name: 'ci-1', key: 'flag' } } },
    ])
  })

  it('a container runs as its user with a read-only root', () => {
    const { securityContext } = challengeOf({ user: 1000, group: 2000, rootFileSystem: 'ReadOnly' })
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      privileged: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 2000,
      readOnlyRootFilesystem: true,
    })
  })

  it('has a volume of limited size for each writable folder', () => {
    const container = {
      writablePaths: [
        { path: '/tmp', sizeMb: 8 },
        { path: '/run/app', sizeMb: 1 },
      ],
    }
    const pod = podOf({ container })
    expect(pod.volumes).toEqual([
      { name: 'writable-0', emptyDir: { sizeLimit: '8Mi' } },
      { name: 'writable-1', emptyDir: { sizeLimit: '1Mi' } },
    ])
    expect(pod.containers[0]?.volumeMounts).toEqual([
      { name: 'writable-0', mountPath: '/tmp' },
      { name: 'writable-1', mountPath: '/run/app' },
    ])
  })

  it.each([
    ['its entry', {}, { tcpSocket: { port: 1337 } }],
    ['another port', { port: 9000 }, { tcpSocket: { port: 9000 } }],
    ['a path', { path: '/healthz?deep=1' }, { httpGet: { port: 1337, path: '/healthz?deep=1' } }],
  ])('is ready when %s answers', (_what, readiness, probe) => {
    expect(challengeOf({ readiness, furtherPorts: [9000] }).readinessProbe).toEqual({
      ...probe,
      periodSeconds: 1,
      timeoutSeconds: 2,
      failureThreshold: 3,
    })
  })

  it('a container has no probe, and is not ready until its output contains the readiness line', () => {
    const container = { readiness: { line: 'serving' } }
    expect(challengeOf(container)).not.toHaveProperty('readinessProbe')
    const annotationsOf = (instance: ChallengeInstance) => desiredObjects(instance, someSettings(), 0).pod.metadata.annotations
    expect(annotationsOf(anInstance({ container }))).toEqual({ [attemptAnnotation]: '0', [lineRunAnnotation]: '' })
    expect(annotationsOf(anInstance())).toEqual({ [attemptAnnotation]: '0' })
  })

  it('has additional ports, to which only the gateway may connect', () => {
    const container = { furtherPorts: [9000, 9001] }
    expect(challengeOf(container).ports).toEqual([
      { name: 'challenge', containerPort: 1337, protocol: 'TCP' },
      { name: 'port-9000', containerPort: 9000, protocol: 'TCP' },
      { name: 'port-9001', containerPort: 9001, protocol: 'TCP' },
    ])
    const portsOf = (exposure: 'Proxy' | 'NodePort') => {
      const { networkPolicy } = desiredObjects(anInstance({ container, exposure }), someSettings(), 0)
      return (networkPolicy.spec as { ingress: { ports: { port: number }[] }[] }).ingress[0]?.ports.map(({ port }) => port)
    }
    expect(portsOf('Proxy')).toEqual([1337, 9000, 9001])
    expect(portsOf('NodePort')).toEqual([1337])
  })
})

describe('the flag file', () => {
  it('a Secret volume provides the flag file if root is the owner of the file', () => {
    const pod = podOf(withFile({ ...aFile, mode: '0444', owner: 0 }))
    expect(pod.initContainers).toBeUndefined()
    expect(pod.volumes).toEqual([
      { name: 'flag', secret: { secretName: 'ci-1', items: [{ key: 'flag', path: 'flag', mode: 0o444 }] } },
    ])
    expect(pod.containers[0]).toMatchObject({
      env: [{ name: 'TEAM_ID', value: '7' }],
      volumeMounts: [{ name: 'flag', mountPath: '/home/ctf/flag.txt', subPath: 'flag', readOnly: true }],
    })
  })

  it('an unprivileged init container writes the flag file if the owner of the file is not root', () => {
    const pod = podOf(withFile(aFile), { flagFileImage: 'registry.example/operator:1' })
    expect(pod.volumes).toEqual([{ name: 'flag', emptyDir: { sizeLimit: '1Mi' } }])
    expect(pod.initContainers).toMatchObject([
      {
        name: 'flag-file',
        image: 'registry.example/operator:1',
        env: [
          { name: 'FLAG_FILE_PATH', value: '/flag/flag' },
          { name: 'FLAG_FILE_MODE', value: '0400' },
          { name: 'FLAG_FILE_TEXT', valueFrom: { secretKeyRef: { name: 'ci-1', key: 'flag' } } },
        ],
        securityContext: {
          runAsUser: 1000,
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        },
      },
    ])
    expect(pod.initContainers?.[0]).not.toHaveProperty('restartPolicy')
  })

  it('the flag file belongs to root if no image is configured for the init container that writes it', () => {
    expect(podOf(withFile(aFile)).volumes?.[0]).toMatchObject({ secret: { secretName: 'ci-1' } })
  })
})

describe('the Secret of an instance', () => {
  it("is the flag's Secret, or a Secret with the instance's name if no flag exists", () => {
    expect(secretNameOf(anInstance())).toBeUndefined()
    expect(secretNameOf(anInstance({ flag: { secretName: 'other', environmentNames: ['FLAG'] } }))).toBe('other')
    expect(secretNameOf(anInstance({ container: { secretEnvironment: ['KEY'] } }))).toBe('ci-1')
  })
})
