// The connection to the server: errors, calls and streams. It does not depend on the persona.

// crypto.randomUUID is missing on pages from other machines over plain HTTP.
const random = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('')

class Refusal extends Error {
  constructor(status, body, wait) {
    const nested = body && typeof body.error === 'object' && body.error
    super((nested ? nested.message : body && body.error) || 'The server answered with ' + status + '.')
    this.status = status
    this.code = (nested ? nested.code : body && body.code) || ''
    this.wait = wait
  }
}
class Lost extends Error {}

const address = (path, query) => {
  const q = new URLSearchParams()
  for (const [name, value] of Object.entries(query || {})) if (value) q.set(name, value)
  return '/api/v1' + path + (q.size === 0 ? '' : '?' + q)
}
const call = async (method, path, query, body, key, signal, accept) => {
  const headers = accept ? { Accept: accept } : {}
  if (body) headers['Content-Type'] = 'application/json'
  if (key) headers['Idempotency-Key'] = key
  let answer
  try {
    answer = await fetch(address(path, query), { method, headers, body: body && JSON.stringify(body), signal })
  } catch {
    throw new Lost()
  }
  if (answer.ok) return answer
  const seconds = Number(answer.headers.get('Retry-After')) || 0
  throw new Refusal(answer.status, await answer.json().catch(() => null), seconds)
}
const read = async (...request) => {
  const answer = await call(...request)
  return answer.json().catch(() => { throw new Lost() })
}

// streamed posts a body and calls on for each event of the answer. A wait for the model's provider
// is the event waiting; an answer that is not a stream is the event done. It returns false if the
// server does not support streams.
const streamed = async (path, query, body, key, signal, on) => {
  let answer
  try {
    answer = await call('POST', path, query, body, key, signal, 'text/event-stream, application/json;q=0.9')
  } catch (refusal) {
    if (refusal.status === 404 || refusal.status === 405) return false
    throw refusal
  }
  if ((answer.headers.get('Content-Type') || '').startsWith('application/json')) {
    on('done', await answer.json().catch(() => { throw new Lost() }))
    return true
  }
  const reader = answer.body.getReader()
  const decoder = new TextDecoder()
  let rest = '', name = '', text = ''
  for (;;) {
    const { value, done } = await reader.read().catch(() => { throw new Lost() })
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
    const lines = rest.split(/\r?\n/)
    rest = lines.pop()
    for (const line of lines) {
      if (line.startsWith(waitComment)) on('waiting', JSON.parse(line.slice(waitComment.length)))
      if (line.startsWith('event:')) name = line.slice(6).trim()
      if (line.startsWith('data:')) text += line.slice(5)
      if (line || !name) continue
      if (on(name, text ? JSON.parse(text) : {})) return true
      name = text = ''
    }
    if (done) throw new Lost()
  }
}
const waitComment = ': waiting '
const waitSentence = (notice) => {
  const seconds = Math.max(1, Math.round(notice.seconds))
  return (notice.reason === 'rate-limit' ? 'The model’s provider has reached its rate limit' : 'The model’s provider is busy') +
    ': it is asked again in ' + seconds + (seconds === 1 ? ' second.' : ' seconds.')
}
