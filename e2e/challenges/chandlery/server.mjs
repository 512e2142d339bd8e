// Halloran's Chandlery: a shop with a search box. The searched text becomes part of an SQL query without escaping.
import { createServer } from 'node:http'
import { constants, DatabaseSync } from 'node:sqlite'

const flag = process.env.FLAG ?? 'flag{the_strongroom_is_empty}'
const team = process.env.TEAM_ID ?? 'unknown'
const port = Number(process.env.PORT ?? 8080)
const host = process.env.HOST ?? '0.0.0.0'

const maxSearchLength = 240
const maxRows = 100

const goods = [
  ['Manila rope, 24 mm', 38, 'Three strands, laid on our own walk behind the shop.'],
  ['Tarred marline', 6, 'For seizings and for patience.'],
  ['Storm lantern', 54, 'Burns eleven hours. The twelfth is up to you.'],
  ['Lamp oil', 9, 'One gallon, in your own can.'],
  ['Snatch block, 6 inch', 72, 'Opens at the cheek. Mind your fingers.'],
  ['Capstan bar, ash', 45, 'Seven feet, shod with iron. Sold in pairs by tradition only.'],
  ['Pawl spring', 4, 'The click in your winch.'],
  ['Lead line, 20 fathoms', 29, 'Marked in leather and bunting, armed with tallow.'],
  ['Oilskin coat', 63, 'One size. It fits no one and keeps everyone dry.'],
  ['Harbour chart, Meridian Roads', 12, 'Soundings of last spring. The bank has moved since.'],
  ['Brass bell', 110, 'Rings in fog whether you want it or not.'],
  ['Ship biscuit', 2, 'Keeps.'],
]

const ledger = new DatabaseSync(':memory:')
ledger.exec(`
  CREATE TABLE goods (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price INTEGER NOT NULL, note TEXT NOT NULL, listed INTEGER NOT NULL);
  CREATE TABLE strongroom (shelf INTEGER PRIMARY KEY, label TEXT NOT NULL, contents TEXT NOT NULL);
`)
const stock = ledger.prepare('INSERT INTO goods (name, price, note, listed) VALUES (?, ?, ?, 1)')
for (const [name, price, note] of goods) stock.run(name, price, note)
const store = ledger.prepare('INSERT INTO strongroom (label, contents) VALUES (?, ?)')
store.run('Deeds of the quay', 'Two pages, water-stained.')
store.run(`Sealed orders, berth ${team}`, flag)
const findById = ledger.prepare('SELECT id, name, price, note FROM goods WHERE id = ? AND listed = 1')

// SQL functions that the search permits. Writes, recursion, and functions with huge results are refused.
const knownFunctions = new Set([
  'like',
  'lower',
  'upper',
  'length',
  'substr',
  'instr',
  'hex',
  'char',
  'count',
  'coalesce',
  'ifnull',
  'group_concat',
  'min',
  'max',
])
ledger.setAuthorizer((action, _first, name) => {
  if (action === constants.SQLITE_SELECT || action === constants.SQLITE_READ) return constants.SQLITE_OK
  if (action === constants.SQLITE_FUNCTION && knownFunctions.has(String(name).toLowerCase())) return constants.SQLITE_OK
  return constants.SQLITE_DENY
})

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (value) => String(value).replace(/[&<>"']/g, (character) => entities[character])

const style = `
  :root { color-scheme: light dark; --ink: light-dark(#1d2a33, #e4ecf0); --sea: light-dark(#1f6f8b, #6fc3dd); --deck: light-dark(#f6f3ec, #14191d); --card: light-dark(#fff, #1c2329); --line: light-dark(#d9d2c3, #313b43) }
  * { box-sizing: border-box } body { margin: 0; background: var(--deck); color: var(--ink); font: 16px/1.5 Georgia, serif }
  header, main, footer { max-width: 60rem; margin: 0 auto; padding: 1.25rem } header { border-bottom: 1px solid var(--line) }
  h1 { margin: 0; font-size: 1.75rem; letter-spacing: .01em } h1 a { color: inherit; text-decoration: none } header p, footer { opacity: .7; margin: .25rem 0 0 }
  form { display: flex; gap: .5rem; margin-bottom: 1.25rem } input { flex: 1; font: inherit; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: inherit }
  button { font: inherit; padding: .5rem 1rem; border: 0; border-radius: 6px; background: var(--sea); color: var(--deck) }
  ul { list-style: none; padding: 0; display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)) } li { padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere }
  li a { color: var(--sea); font-weight: bold } .price { float: right; font-variant-numeric: tabular-nums } .error { padding: 1rem; border-left: 4px solid #c2543d; background: var(--card) }
`
const page = (title, body) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style>
<header><h1><a href="/">Halloran's Chandlery</a></h1><p>East quay, Meridian Roads. Rope, tar and lamp oil.</p></header>
<main>${body}</main><footer>The strongroom is not open to visitors.</footer></html>`
const searchForm = (text) =>
  `<form action="/" method="get"><input name="q" aria-label="Search the stock" placeholder="Search the stock" value="${escapeHtml(text)}"><button>Search</button></form>`
const card = (row) =>
  `<li><span class="price">${escapeHtml(row.price)} cr</span><a href="/goods/${encodeURIComponent(row.id)}">${escapeHtml(row.name)}</a><br>${escapeHtml(row.note)}</li>`

/** The intended vulnerability: the query contains the searched text without escaping. */
function search(text) {
  const question = `SELECT id, name, price, note FROM goods WHERE listed = 1 AND name LIKE '%${text}%' ORDER BY 2`
  const rows = []
  for (const row of ledger.prepare(question).iterate()) if (rows.push(row) >= maxRows) break
  return rows
}

function showShop(text) {
  if (text.length > maxSearchLength)
    return [
      400,
      page('Too long', `${searchForm('')}<p class="error">The clerk stopped listening after ${maxSearchLength} letters.</p>`),
    ]
  try {
    const rows = search(text)
    const list = rows.length > 0 ? `<ul>${rows.map(card).join('')}</ul>` : '<p>Nothing like that on the shelves.</p>'
    return [200, page("Halloran's Chandlery", searchForm(text) + list)]
  } catch (error) {
    return [
      500,
      page(
        'Ledger error',
        `${searchForm(text)}<p class="error">The clerk frowns at the ledger: <code>${escapeHtml(error.message)}</code></p>`,
      ),
    ]
  }
}

function showGoods(id) {
  const row = findById.get(id)
  return row
    ? [200, page(row.name, `<ul>${card(row)}</ul><p><a href="/">Back to the shelves</a></p>`)]
    : [404, page('Not here', '<p>No such shelf.</p>')]
}

function answer(method, target) {
  if (method !== 'GET' && method !== 'HEAD') return [405, page('Not like this', '<p>Please just look around.</p>')]
  if (!URL.canParse(target, 'http://shop')) return [400, page('Pardon?', '<p>The clerk did not understand.</p>')]
  const url = new URL(target, 'http://shop')
  if (url.pathname === '/') return showShop(url.searchParams.get('q') ?? '')
  const goodsId = /^\/goods\/(\d{1,9})$/.exec(url.pathname)?.[1]
  return goodsId === undefined ? [404, page('Not here', '<p>No such shelf.</p>')] : showGoods(Number(goodsId))
}

const server = createServer(
  { requestTimeout: 10_000, headersTimeout: 10_000, keepAliveTimeout: 5_000, maxHeaderSize: 8_192 },
  (request, response) => {
    request.resume()
    const [status, body] = answer(request.method, request.url)
    response.writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  },
)
server.maxConnections = 256
server.on('clientError', (_error, socket) => socket.destroy())
server.listen(port, host, () => console.log(`Listening on ${host}:${server.address().port}`))
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0))
