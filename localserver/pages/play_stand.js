// The state of the session: the log's elements, the state, score and tries, and the parts of the
// page that are visible before, during and between turns.

const log = $('log')
const put = (element) => { log.append(element); down(); return element }
const bubble = (kind, text) => {
  const element = make('div', kind)
  element.dir = 'auto'
  element.append(make('span', 'unseen', (kind === 'you' ? me.name : persona.name) + ': '))
  const words = spoken(make('span', ''), text)
  words.dataset.text = text
  element.append(words)
  return put(element)
}
const dots = () => {
  const element = make('div', 'them', make('span', 'dots', make('i'), make('i'), make('i')))
  element.setAttribute('aria-hidden', 'true')
  return put(element)
}
// ---- session ----
// said is the number of the player's messages in this part. stale is the newer state of another
// tab, or null.
let state = '', score = 0, redirects = 0, ended = false, busy = false, said = 0, stale = null
const machine = () => machines.get(me.machine) || { name: '', states: {}, redirects: {}, scored: false, threshold: 0, bound: 0, patient: [], refusable: [], last: [], outcomes: [], wins: {} }
const label = (key) => machine().states[key] || key
// triesLeft returns the number of tries left in a state after some redirects, or 0 if tries are not
// counted.
const triesLeft = (m, key, redirects) => m.redirects[key] === undefined || !(redirects >= 0) ? 0 : Math.max(m.redirects[key] - redirects, 0) + 1
const triesWords = (left) => left === 0 ? '' : left === 1 ? persona.tries.last : persona.tries.left.replace('%d', left)
// scored returns the score with the required one.
const scored = (m) => (score > m.threshold ? persona.score.beyond : score < 0 ? persona.score.below : persona.score.within).replace('%score', score).replace('%enough', m.threshold)
const stand = (nextState, nextScore, nextRedirects) => {
  state = nextState
  score = nextScore
  redirects = nextRedirects
  const m = machine()
  const left = ended ? '' : triesWords(triesLeft(m, state, redirects))
  $('part').replaceChildren(make('span', 'place', [m.name, label(state)].filter(Boolean).join(' · ')), make('span', 'tries', left && '\u00a0· ' + left))
  $('part').classList.toggle('last', left === persona.tries.last)
  $('score').hidden = !m.scored
  $('score-text').textContent = scored(m)
  $('score-text').title = 'Your score, and what you need'
  $('score-bar').className = score < 0 ? 'below' : ''
  const share = m.threshold > 0 ? Math.abs(score) / m.threshold : score < 0 ? 1 : 0
  $('score-bar').style.width = Math.min(100, share * 100) + '%'
}

// tellTries explains once in the log which messages use a try, after the opening of a part with
// limited tries.
const tellTries = (m, key) => {
  if (log.querySelector('.hint') || !triesLeft(m, key, 0)) return
  put(make('p', 'hint', persona.tries.rule + (m.patient.includes(key) ? ' ' + (m.refusable.includes(key) ? persona.tries.but_no : persona.tries.free) : '')))
}

// moved describes the changes of a turn in one short line. before and after contain a state, a
// score and redirects.
const moved = (m, before, after) => {
  const words = []
  if (before.state !== after.state) words.push(m.states[after.state] || after.state)
  if (m.scored && before.score !== after.score) words.push((after.score > before.score ? '+' : '−') + Math.abs(after.score - before.score))
  const tries = triesNote(m, before, after)
  if (tries) words.push(tries)
  if (words.length > 0) put(make('p', 'turn', words.join(' · ')))
}
// triesNote returns a text about the change of the tries: one was used, or the new step has its
// own. It must give the same texts as triesNote of the chat in the terminal.
const triesNote = (m, before, after) => {
  if (m.last.includes(after.state)) return ''
  const had = triesLeft(m, before.state, before.redirects), left = triesLeft(m, after.state, after.redirects), { tries } = persona
  if (left > 0 && before.state !== after.state) return left === 1 ? tries.step_one : tries.step.replace('%d', left)
  return left === 0 || left >= had ? '' : left === 1 ? tries.used_last : tries.used.replace('%d', left)
}
// standingAfter returns the state, score and redirects after a reply of a history. It counts the
// redirects itself.
const standingAfter = (before, reply) => {
  const isSame = reply.state_key_at_time === before.state && reply.decision !== 'pass'
  return { state: reply.state_key_at_time, score: reply.score_at_time, redirects: !isSame ? 0 : before.redirects + (reply.decision === 'redirect') }
}

const ready = () => {
  busy = false
  $('send').hidden = ended
  $('go').disabled = false
  $('go').classList.remove('waiting')
  $('go-wait').textContent = ''
  log.setAttribute('aria-busy', 'false')
  $('stop').hidden = true
  $('go').hidden = false
  $('back').classList.toggle('none', said === 0)
  $('undo').disabled = $('other').disabled = false
  grow()
  if (!ended && !narrow.matches && !$('menu').contains(document.activeElement)) $('words').focus({ preventScroll: true })
  if (stale) follow(stale)
}
const working = () => {
  busy = true
  fault()
  stopCountdown()
  $('go').disabled = $('undo').disabled = $('other').disabled = true
  log.setAttribute('aria-busy', 'true')
}
const inside = () => {
  $('door').hidden = true
  $('top').hidden = $('talk').hidden = $('say').hidden = false
  $('send').hidden = ended
}
const outside = () => {
  $('door').hidden = $('enter').hidden = false
  $('top').hidden = $('talk').hidden = $('say').hidden = true
  $('player').value = me.name
  for (const choice of document.getElementsByName('gender')) choice.checked = choice.value === me.gender
  if (!narrow.matches) $('player').focus()
}
const closed = (text) => {
  outside()
  $('enter').hidden = true
  $('closed').hidden = false
  $('closed').textContent = text
}
const signIn = () => closed('This server requires players to sign in, which this page does not support.\n\nPlay in a terminal instead:\nparley chat ' + location.href)
