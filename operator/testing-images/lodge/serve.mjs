// Web page on port 8080. `/` returns a file that the compose file mounts. `/ask/LINE` sends a line to the guestbook and
// returns the response of the guestbook.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'

const page = readFileSync('/srv/site/index.html')

createServer(({ url = '/' }, response) => {
  const [, line] = /^\/ask\/(.+)$/.exec(url) ?? []
  if (line === undefined) {
    response.setHeader('content-type', 'text/html').end(page)
    return
  }
  const guestbook = connect({ host: 'guestbook', port: 1337 })
  guestbook.once('error', () => response.writeHead(502).end())
  guestbook.once('data', (answer) => {
    response.end(answer)
    guestbook.destroy()
  })
  guestbook.write(`${decodeURIComponent(line)}\n`)
}).listen(8080)
