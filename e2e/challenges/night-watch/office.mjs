// Web server of the challenge. Players write notes, and ask the container `watchman` to read a note.
import { createServer } from 'node:http'
import { askLedger } from './ask.mjs'

const port = Number(process.env.PORT ?? 8080)
const host = process.env.HOST ?? '0.0.0.0'

const maxBodyLength = 8192
const maxTextLength = 2000
const maxPathLength = 200
const validName = /^[a-z0-9-]{1,40}$/

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => escapes[character])

function page(title, content) {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>body{max-width:40rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui;background:#10151c;color:#e6e0d0}
a{color:#f0b45a}input,textarea{width:100%;box-sizing:border-box;font:inherit;margin:.2rem 0 .6rem}pre{white-space:pre-wrap}</style>
<h1>${title}</h1>${content}`
}

const home = page(
  'Harbour office, night shift',
  `<p>Read <a href="/log/welcome">the welcome</a> or <a href="/log/gale">the last gale</a>.</p>
<h2>Write into the log</h2><form method="post" action="/log"><label>Name <input name="name" pattern="[a-z0-9-]{1,40}" required></label>
<label>Text <textarea name="text" rows="3" required></textarea></label><button>Write</button></form>
<h2>Report a log page</h2><form method="post" action="/report"><label>Path <input name="path" value="/log/gale" required></label>
<button>Call the watchman</button></form>
<p><small>For the lamp technician: <a href="/lamp/inspect?save=my-lamp">/lamp/inspect?save=my-lamp</a> writes down how your lamp announces itself.</small></p>`,
)

async function readForm(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > maxBodyLength) return undefined
  }
  return new URLSearchParams(text)
}

/** Stores a note in the ledger. Returns the parts of the HTTP response: status, title and content. */
async function write(name, text) {
  if (!validName.test(name)) return [400, 'No such name', '<p>A name has up to 40 of the characters a-z, 0-9 and -.</p>']
  const isWritten = await askLedger('write', name, text.slice(0, maxTextLength))
  return isWritten
    ? [200, 'Written', `<p>It is in <a href="/log/${name}">/log/${name}</a>.</p>`]
    : [507, 'The ledger is full', '<p>Write into a page that exists.</p>']
}

async function respond(request) {
  const { pathname, searchParams } = new URL(request.url, 'http://office')
  const form = request.method === 'POST' ? await readForm(request) : new URLSearchParams()
  if (!form) return [413, 'Too long', '']
  if (request.method === 'POST' && pathname === '/log') return write(form.get('name') ?? '', form.get('text') ?? '')
  if (request.method === 'POST' && pathname === '/report') {
    const path = form.get('path') ?? ''
    if (!path.startsWith('/log/') || path.length > maxPathLength)
      return [400, 'The watchman stays here', '<p>He looks only at pages of the log, which begin with <code>/log/</code>.</p>']
    return (await askLedger('report', path))
      ? [202, 'The watchman is on his way', `<p>He looks at ${escapeHtml(path)} within seconds.</p>`]
      : [429, 'The watchman is busy', '<p>Try again in a minute.</p>']
  }
  if (pathname === '/lamp/inspect') {
    const announced = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
    return write(searchParams.get('save') ?? '', announced.join('\n'))
  }
  const [, name] = /^\/log\/([a-z0-9-]{1,40})$/.exec(pathname) ?? []
  const text = name && (await askLedger('read', name))
  return text
    ? [200, `Log: ${name}`, `<pre>${escapeHtml(text)}</pre>`]
    : [404, 'No such page', '<p><a href="/">The office</a></p>']
}

const server = createServer((request, response) => {
  const send = (status, body) => response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(body)
  if (request.url === '/') return send(200, home)
  respond(request).then(
    ([status, title, content]) => send(status, page(title, content)),
    () => send(500, page('The lamp flickers', '<p>Something went wrong. Try again.</p>')),
  )
})
server.on('clientError', (_error, socket) => socket.destroy())
server.listen(port, host, () => console.log(`Listening on ${host}:${server.address().port}`))
