// Receives webhooks in a process of its own, which may be killed like any other. What arrives is written to a file,
// line by line; how it answers stands in another, which is read anew for each request.
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port, logFile, moodFile] = process.argv.slice(2)

let open = 0

const server = createServer((request, response) => {
  open++
  response.on('close', () => {
    open--
  })
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { method, url, headers } = request
    const {
      status = 200,
      delayMs = 0,
      hangs = false,
      hangsUp = false,
      answerHeaders = {},
      failOnce = [],
    } = JSON.parse(readFileSync(moodFile, 'utf8'))
    const body = Buffer.concat(chunks).toString()
    const note = (answered) =>
      appendFileSync(logFile, `${JSON.stringify({ method, url, headers, body, answered, open })}\n`)
    if (hangs) return note('nothing')
    if (hangsUp) {
      note('nothing')
      return request.socket.destroy()
    }
    const given =
      failOnce.length > 0 && !seen.has(headers['webhook-id']) ? failOnce[seen.size % failOnce.length] : status
    seen.add(headers['webhook-id'])
    setTimeout(() => {
      note(given)
      response.writeHead(given, answerHeaders)
      response.end('thank you')
    }, delayMs)
  })
})
const seen = new Set()
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'))
