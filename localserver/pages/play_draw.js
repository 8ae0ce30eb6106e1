// Draws elements, speech, errors and the countdown after a rate limit, independently of the
// persona. Texts are inserted as text and never as markup.

const $ = (id) => document.getElementById(id)
const make = (tag, kind, ...children) => {
  const element = document.createElement(tag)
  if (kind) element.className = kind
  element.append(...children)
  return element
}
const near = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 160
const down = () => scrollTo({ top: document.documentElement.scrollHeight })

// spoken shows *gestures* and (gestures) in italics, and the rest as plain text.
const spoken = (element, text) => {
  element.replaceChildren(...text.split(/(\*[^*\n]+\*|\([^()\n]+\))/).map((piece, i) =>
    i % 2 === 0 ? document.createTextNode(piece) : make('em', '', piece.startsWith('*') ? piece.slice(1, -1) : piece)))
  return element
}
const tell = (text) => { $('status').textContent = text }
const fault = (text) => { $('fault').textContent = text || '' }
const grow = () => {
  if (CSS.supports('field-sizing', 'content')) return
  $('words').style.height = 'auto'
  $('words').style.height = $('words').scrollHeight + 'px'
}

// countdown shows in the element where how long sending is blocked.
let timer = 0
const stopCountdown = () => clearInterval(timer)
const countdown = (seconds, where) => {
  const until = Date.now() + seconds * 1000
  const buttons = [$('go'), $('begin')]
  tell('Too many messages. Wait ' + seconds + ' seconds.')
  where.removeAttribute('role')
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1000)
    for (const b of buttons) b.disabled = left > 0
    $('go').classList.toggle('waiting', left > 0)
    $('go-wait').textContent = left > 0 ? left : ''
    where.textContent = left > 0 ? 'That was quick. You can send it in ' + left + (left === 1 ? ' second.' : ' seconds.') : ''
    if (left > 0) return
    stopCountdown()
    where.setAttribute('role', 'alert')
    tell('You can send it now.')
  }
  stopCountdown()
  timer = setInterval(tick, 250)
  tick()
}
