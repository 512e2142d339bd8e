import { describe, expect, it } from 'vitest'
import { convertJail, type JailConversion } from './convert.ts'

function lines(...text: string[]): string {
  return `${text.join('\n')}\n`
}
function none() {
  return undefined
}
function converted(text: string, read: (path: string) => string | undefined = none) {
  const conversion = convertJail(text, read)
  if (conversion?.kind !== 'converted') throw new Error(conversion?.why ?? 'no jail was found')
  return conversion
}
/** Returns the lines from the last FROM instruction to the end of the Dockerfile. */
function lastStage({ dockerfile }: Extract<JailConversion, { kind: 'converted' }>) {
  return dockerfile.slice(dockerfile.lastIndexOf('\nFROM ') + 1).split('\n')
}

describe('a jailed image', () => {
  it('an image based on pwn.red/jail is converted to the image of its root folder', () => {
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
    expect(conversion.notes).toEqual(['Connections have no time limit.'])
    expect(conversion.limits).toEqual({})
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

  it('an image based on kCTF runs the command of its jail after the conversion', () => {
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

  it('a command from the configuration of the jail is moved into a script if it has special characters', () => {
    const conversion = converted(
      kctf('CMD kctf_setup && kctf_drop_privs socat TCP-LISTEN:1337,fork EXEC:"nsjail --config /home/user/nsjail.cfg"'),
      () => 'exec_bin {\n  path: "/bin/sh"\n  arg: "-c"\n  arg: "echo a,b; it\'s"\n}\n',
    )
    expect(conversion.dockerfile).toContain("RUN printf '%s\\n' '#!/bin/sh' 'exec '\\''/bin/sh'\\'' '\\''-c'\\''")
    expect(conversion.dockerfile).toContain('EXEC:/opt/capstan/run,stderr')
  })

  it('a program that listens on the port is started directly', () => {
    const conversion = converted(kctf('CMD kctf_setup && (kctf_drop_privs nsjail --config /x.cfg /home/user/start.sh)'))
    expect(lastStage(conversion)).toEqual(expect.arrayContaining(['CMD ["/home/user/start.sh"]', 'EXPOSE 1337']))
    expect(conversion.dockerfile).not.toContain('socat')
  })

  it('a program that kCTF runs outside of the jail is started in the same way, with the files of the base image', () => {
    const conversion = converted(
      lines(
        'FROM gcr.io/kctf-docker/challenge',
        'COPY start.sh /',
        'CMD kctf_setup && mount -t tmpfs none /tmp && kctf_drop_privs socat TCP-LISTEN:1338,fork EXEC:"kctf_pow /start.sh" & wait',
      ),
    )
    expect(conversion.port).toBe(1338)
    expect(conversion.notes).toContain('The program already ran outside of the jail and is unchanged.')
    expect(lastStage(conversion)).toEqual(
      expect.arrayContaining([
        'FROM ubuntu:24.04',
        'COPY start.sh /',
        'ENTRYPOINT []',
        'CMD ["/bin/sh","-c","socat TCP-LISTEN:1338,fork EXEC:\\"/start.sh\\" & wait"]',
      ]),
    )
  })

  it('the program has the same folder and environment variables after the conversion of the jail', () => {
    const conversion = converted(
      lines(
        'FROM pwn.red/jail',
        'COPY --from=debian / /srv',
        'WORKDIR /srv/app',
        'COPY run flag.txt ./',
        'RUN chmod +x run',
        'RUN chroot /srv apt-get install -y gcc',
        'RUN mkdir /jail/x',
        'ENV JAIL_ENV_GREETING="a b"',
      ),
    )
    expect(conversion.flagFile).toBe('/app/flag.txt')
    expect(lastStage(conversion)).toEqual(
      expect.arrayContaining(['COPY run flag.txt /app/', 'RUN cd /app && chmod +x run', 'ENV GREETING="a b"']),
    )
  })

  it('a flag file that is copied into an existing folder retains its file name', () => {
    const text = lines('FROM pwn.red/jail', 'COPY --from=debian / /srv', 'COPY flag.txt /srv/app')
    expect(converted(text).flagFile).toBe('/app/flag.txt')
  })

  it('an image based on DownUnderCTF runs its program at the same path as inside the jail', () => {
    const conversion = converted(
      lines(
        'FROM ghcr.io/downunderctf/docker-vendor/nsjail:ubuntu-22.04',
        'ENV JAIL_CWD=/chal PORT=1400',
        'COPY flag.txt /home/ctf/chal',
        'COPY pwn /home/ctf/chal/pwn',
      ),
    )
    expect(conversion).toMatchObject({ jail: 'nsjail', port: 1400, flagFile: '/home/ctf/chal/flag.txt' })
    expect(lastStage(conversion)).toEqual(
      expect.arrayContaining(['FROM ubuntu:22.04', 'WORKDIR /chal', expect.stringContaining('EXEC:/chal/pwn,stderr')]),
    )
  })

  it('an image with a script is converted only if the script only configures the jail', () => {
    const text = lines('FROM pwn.red/jail', 'COPY --from=x / /srv', 'COPY a /srv/app/run', 'COPY hook.sh /jail/')
    const hook = "#!/bin/sh\n# more\ncat >> /tmp/nsjail.cfg << EOF\nmount { rm -rf / }\nEOF\necho 'a; b' >> /tmp/nsjail.cfg\n"
    expect(converted(text, () => hook).notes.join(' ')).toContain('A script changed the configuration')
    expect(convertJail(text, () => `${hook}sysctl a=1\n`)).toMatchObject({ kind: 'kept' })
  })

  it('an image that installs the jail itself still contains the jail after the conversion, but starts without the jail', () => {
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
    ['has a hook', lines('FROM pwn.red/jail', 'COPY --from=x / /srv', 'COPY hook.sh /jail/hook.sh'), /custom script/],
    [
      'is behind another server',
      kctf('CMD kctf_setup && (kctf_drop_privs nsjail --config /x.cfg -- /a.sh &) && bash -c "apache2 -D FOREGROUND"'),
      /Another program accepts/,
    ],
    ['does not name its program', kctf('CMD kctf_setup && /start.sh'), /Neither the command nor/],
  ])('an image is not converted if it %s', (_, text, why) => {
    expect(convertJail(text, () => 'mount none /x\n')).toMatchObject({ kind: 'kept', why: expect.stringMatching(why) })
  })

  it('an image without a jail is not converted', () => {
    expect(convertJail(lines('FROM ubuntu', 'CMD ["/chal"]'), none)).toBeUndefined()
    expect(convertJail('', none)).toBeUndefined()
  })
})
