import { describe, expect, it } from 'vitest'
import { convertJail, type JailConversion } from './convert.ts'

const lines = (...text: string[]): string => `${text.join('\n')}\n`
const none = () => undefined
const converted = (text: string, read: (path: string) => string | undefined = none) => {
  const conversion = convertJail(text, read)
  if (conversion?.kind !== 'converted') throw new Error(conversion?.why ?? 'no jail was found')
  return conversion
}
/** What follows the last FROM. */
const lastStage = ({ dockerfile }: Extract<JailConversion, { kind: 'converted' }>) =>
  dockerfile.slice(dockerfile.lastIndexOf('\nFROM ') + 1).split('\n')

describe('a jailed image', () => {
  it('of pwn.red/jail becomes the image that its root was', () => {
    const conversion = converted(
      lines(
        'FROM pwn.red/jail',
        'COPY --from=ubuntu:24.04 / /srv',
        'COPY chall /srv/app/run',
        'COPY flag.txt /srv/app/flag.txt',
        'RUN chmod +x /srv/app/run',
        'ENV JAIL_TIME=60 JAIL_PORT=7000',
      ),
    )
    expect(conversion).toMatchObject({ jail: 'pwn.red/jail', port: 7000, flagFile: '/app/flag.txt' })
    expect(conversion.notes).toEqual(['Connections are not ended after a time.'])
    expect(lastStage(conversion)).toEqual([
      'FROM ubuntu:24.04',
      'USER 0:0',
      'COPY chall /app/run',
      'COPY flag.txt /app/flag.txt',
      'RUN chmod +x /app/run',
      'COPY --from=capstan-listener /opt/capstan /opt/capstan',
      'WORKDIR /app',
      'USER 1000:1000',
      'EXPOSE 7000',
      'ENTRYPOINT ["/opt/capstan/loader","--library-path","/opt/capstan/lib","/opt/capstan/socat","-dd","TCP-LISTEN:7000,reuseaddr,fork,max-children=256","EXEC:/app/run,stderr"]',
      'CMD []',
      '',
    ])
  })

  const kctf = (...start: string[]) =>
    lines(
      'FROM debian AS chroot',
      'COPY flag /',
      'COPY chal /home/user/',
      'FROM gcr.io/kctf-docker/challenge@sha256:abc',
      'COPY --from=chroot / /chroot',
      'COPY nsjail.cfg /home/user/',
      ...start,
    )

  it('of kCTF runs what its command gives the jail', () => {
    const conversion = converted(
      kctf(
        'CMD kctf_setup && \\',
        '  kctf_drop_privs socat \\',
        '    TCP-LISTEN:1338,reuseaddr,fork \\',
        '    EXEC:"kctf_pow nsjail --config /home/user/nsjail.cfg -- /home/user/chal -v"',
      ),
      (path) => (path.endsWith('nsjail.cfg') ? 'mode: ONCE\ncwd: "/home/user"\n' : undefined),
    )
    expect(conversion).toMatchObject({ jail: 'kCTF', port: 1338, flagFile: '/flag' })
    expect(lastStage(conversion)).toEqual(
      expect.arrayContaining(['FROM chroot', 'WORKDIR /home/user', expect.stringContaining('"EXEC:/home/user/chal -v,stderr"')]),
    )
  })

  it('runs what the configuration of the jail names, in a script where the listener would misread it', () => {
    const conversion = converted(
      kctf('CMD kctf_setup && kctf_drop_privs socat TCP-LISTEN:1337,fork EXEC:"nsjail --config /home/user/nsjail.cfg"'),
      () => 'exec_bin {\n  path: "/bin/sh"\n  arg: "-c"\n  arg: "echo a,b; it\'s"\n}\n',
    )
    expect(conversion.dockerfile).toContain("exec '/bin/sh' '-c' 'echo a,b; it'\\''s'\n")
    expect(conversion.dockerfile).toContain('EXEC:/opt/capstan/run,stderr')
  })

  it('starts a server as it is', () => {
    const conversion = converted(kctf('CMD kctf_setup && (kctf_drop_privs nsjail --config /x.cfg /home/user/start.sh)'))
    expect(lastStage(conversion)).toEqual(expect.arrayContaining(['CMD ["/home/user/start.sh"]', 'EXPOSE 1337']))
    expect(conversion.dockerfile).not.toContain('socat')
  })

  it('of its own making keeps its image and is started without the jail', () => {
    const conversion = converted(
      lines(
        'FROM ubuntu',
        'RUN apt-get install nsjail',
        'COPY flag.txt /',
        'CMD ["nsjail","-Ml","--port","4000","--chroot","/","--","/chal"]',
      ),
    )
    expect(conversion).toMatchObject({ jail: 'nsjail', port: 4000, flagFile: '/flag.txt' })
    expect(lastStage(conversion)).toEqual(
      expect.arrayContaining(['RUN apt-get install nsjail', expect.stringContaining('EXEC:/chal,')]),
    )
  })

  it.each([
    ['has a hook', lines('FROM pwn.red/jail', 'COPY --from=x / /srv', 'COPY hook.sh /jail/hook.sh'), /script of its own/],
    ['does not say what runs', kctf('CMD kctf_setup && /start'), /neither in its command nor/],
  ])('stays as it is where it %s', (_, text, why) => {
    expect(convertJail(text, none)).toMatchObject({ kind: 'kept', why: expect.stringMatching(why) })
  })

  it('is told from one without', () => {
    expect(convertJail(lines('FROM ubuntu', 'CMD ["/chal"]'), none)).toBeUndefined()
    expect(convertJail('', none)).toBeUndefined()
  })
})
