'use strict'
// Plays one persona. Whatever a persona, a player or the server says reaches the
// page as text (textContent, text nodes) and never as markup.
;(() => {
  const data = document.getElementById('persona')
  if (!data) return
  const persona = JSON.parse(data.textContent)
  const $ = (id) => document.getElementById(id)
  const machines = new Map(persona.machines.map((m) => [m.id, m]))
  const narrow = matchMedia('(hover: none) and (pointer: coarse)')

  // ---- what is remembered on this device ----
  const shelf = 'parley:' + persona.id
  let me = { user: '', name: '', gender: 'non-binary', machine: '', pending: null }
  try { Object.assign(me, JSON.parse(localStorage.getItem(shelf) || '{}')) } catch { /* private window */ }
  const keep = () => { try { localStorage.setItem(shelf, JSON.stringify(me)) } catch { /* not kept, still playable */ } }
  const forget = () => { try { localStorage.removeItem(shelf) } catch { /* nothing was kept */ } }

  // crypto.randomUUID is missing on plain http beyond this machine.
  const random = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('')

  // ---- talking to the server ----
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
  const chat = (verb) => '/chat/' + encodeURIComponent(persona.id) + '/' + verb
  const progressPath = (verb) => '/personas/' + encodeURIComponent(persona.id) + '/' + verb

  const call = async (method, path, query, body, key) => {
    const headers = {}
    if (body) headers['Content-Type'] = 'application/json'
    if (key) headers['Idempotency-Key'] = key
    let answer
    try {
      answer = await fetch(address(path, query), { method, headers, body: body && JSON.stringify(body) })
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

  // streamed sends a turn and gives its events; it says false where the server
  // has no streams.
  const streamed = async (turn, on) => {
    let answer
    try {
      answer = await call('POST', chat('message/stream'), { machine_id: turn.machine }, { message: turn.text, user_session_id: me.user }, turn.key)
    } catch (refusal) {
      if (refusal.status === 404 || refusal.status === 405) return false
      throw refusal
    }
    const reader = answer.body.getReader()
    const decoder = new TextDecoder()
    let rest = ''
    for (;;) {
      const { value, done } = await reader.read().catch(() => { throw new Lost() })
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const blocks = rest.split(/\r?\n\r?\n/)
      rest = blocks.pop()
      for (const block of blocks) if (on(...eventOf(block))) return true
      if (done) throw new Lost()
    }
  }
  const eventOf = (block) => {
    let name = '', text = ''
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith('event:')) name = line.slice(6).trim()
      if (line.startsWith('data:')) text += line.slice(5)
    }
    return [name, text ? JSON.parse(text) : {}]
  }

  // ---- drawing ----
  const log = $('log')
  const make = (tag, kind, ...children) => {
    const element = document.createElement(tag)
    if (kind) element.className = kind
    element.append(...children)
    return element
  }
  const near = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 160
  const down = () => scrollTo({ top: document.documentElement.scrollHeight })
  const put = (element) => { log.append(element); down(); return element }

  // spoken shows *gestures* and (gestures) in italics; the rest is plain text.
  const spoken = (element, text) => {
    element.replaceChildren(...text.split(/(\*[^*\n]+\*|\([^()\n]+\))/).map((piece, i) =>
      i % 2 === 0 ? document.createTextNode(piece) : make('em', '', piece.startsWith('*') ? piece.slice(1, -1) : piece)))
    return element
  }
  const bubble = (kind, text) => {
    const element = make('div', kind)
    element.dir = 'auto'
    element.append(make('span', 'unseen', (kind === 'you' ? me.name : persona.name) + ': '))
    element.append(spoken(make('span', ''), text))
    return put(element)
  }
  const dots = () => {
    const element = make('div', 'them', make('span', 'dots', make('i'), make('i'), make('i')))
    element.setAttribute('aria-hidden', 'true')
    return put(element)
  }
  const tell = (text) => { $('status').textContent = text }
  const fault = (text) => { $('fault').textContent = text || '' }

  // ---- where the session stands ----
  let state = '', score = 0, ended = false, busy = false, timer = 0
  const machine = () => machines.get(me.machine) || { name: '', states: {}, redirects: {}, scored: false, threshold: 0 }
  const label = (key) => machine().states[key] || key

  // tries says how many tries are left in a state; '' where they are not counted.
  const tries = (redirects) => {
    const most = machine().redirects[state]
    if (ended || most === undefined || redirects === undefined) return ''
    const left = Math.max(most - redirects, 0) + 1
    return left === 1 ? persona.tries.last : persona.tries.left.replace('%d', left)
  }
  const stand = (nextState, nextScore, redirects) => {
    state = nextState
    score = nextScore
    const m = machine()
    $('part').textContent = [m.name, label(state), tries(redirects)].filter(Boolean).join(' · ')
    $('score').hidden = !m.scored
    $('score-text').textContent = score + ' of ' + m.threshold
    $('score-text').title = 'Your score, and what you need'
    $('score-bar').className = score < 0 ? 'below' : ''
    const share = m.threshold > 0 ? Math.abs(score) / m.threshold : score < 0 ? 1 : 0
    $('score-bar').style.width = Math.min(100, share * 100) + '%'
  }

  // moved notes what a turn changed, in one quiet line.
  const moved = (from, to, before, after) => {
    const words = []
    if (from !== to) words.push(label(to))
    if (machine().scored && before !== after) words.push((after > before ? '+' : '−') + Math.abs(after - before))
    if (words.length > 0) put(make('p', 'turn', words.join(' · ')))
  }

  const ready = () => {
    busy = false
    $('send').hidden = ended
    $('go').disabled = false
    $('go').classList.remove('waiting')
    $('go-wait').textContent = ''
    log.setAttribute('aria-busy', 'false')
    grow()
    if (!ended && !narrow.matches) $('words').focus({ preventScroll: true })
  }
  const working = () => {
    busy = true
    fault()
    clearInterval(timer)
    $('go').disabled = true
    log.setAttribute('aria-busy', 'true')
  }
  const grow = () => {
    if (CSS.supports('field-sizing', 'content')) return
    $('words').style.height = 'auto'
    $('words').style.height = $('words').scrollHeight + 'px'
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
  const signIn = () => closed('This server asks players to sign in, which this page cannot do.\n\nPlay in a terminal instead:\nparley chat ' + location.href)

  // ---- endings ----
  const ending = async (outcome, unlocked) => {
    ended = true
    const { kind, title } = persona.endings[outcome] || { kind: '', title: 'The end' }
    const m = machine()
    const card = make('section', 'end ' + kind, make('h2', '', title))
    card.setAttribute('aria-label', 'Ending')
    if (m.scored) card.append(make('p', '', 'Your score: ' + score + ', needed: ' + m.threshold + '.'))
    const ways = make('div', 'ways')
    const next = unlocked.includes(persona.leads[me.machine]) ? persona.leads[me.machine] : ''
    card.append(ways)
    put(card)
    $('send').hidden = true
    if (next) {
      card.insertBefore(make('p', '', 'Going on to ' + name(next) + ' …'), ways)
      ways.append(way(next, 'Unlocked'))
      tell(title + '. Going on to ' + name(next) + '.')
      down()
      const from = me.machine
      await new Promise((done) => setTimeout(done, 1600))
      return me.machine === from && !busy ? open(next) : undefined
    }
    const others = unlocked.length > 0 ? [] : await reachable()
    for (const id of unlocked) ways.append(way(id, 'Unlocked'))
    for (const other of others) ways.append(way(other.machine_id, ''))
    const again = make('button', ways.children.length === 0 ? 'first' : '', 'Begin this part again')
    again.type = 'button'
    again.onclick = restart
    ways.append(again)
    tell(title + (unlocked.length > 0 ? '. Unlocked: ' + unlocked.map(name).join(', ') : '') + '.')
    down()
  }
  const name = (id) => (machines.get(id) || { name: 'the next part' }).name
  const way = (id, remark) => {
    const button = make('button', remark ? 'first' : '', 'Go on to ' + name(id))
    button.type = 'button'
    if (remark) button.append(make('small', '', remark))
    button.onclick = () => open(id)
    return button
  }
  const reachable = async () => {
    try {
      const list = await read('GET', progressPath('available-machines'), { user_session_id: me.user })
      return list.filter((m) => m.machine_id !== me.machine && !m.session_outcome)
    } catch { return [] }
  }

  // ---- verbs ----
  // open opens a machine, or goes on with it where it was left.
  const open = async (id) => {
    if (busy) return
    $('menu').open = false
    working()
    if (id && await resume(id, true).catch(() => false)) return ready()
    const waiting = $('talk').hidden ? null : dots()
    try {
      const opening = await read('POST', chat('init-session'), { machine_id: id }, { user_session_id: me.user, player_name: me.name, player_gender: me.gender }, random())
      me.machine = opening.machine_id
      me.pending = null
      keep()
      ended = false
      if (waiting) put(make('p', 'chapter', machine().name))
      const history = await read('GET', chat('history'), { user_session_id: me.user, machine_id: me.machine })
      stand(history.current_state, history.score, history.redirect_count)
      inside()
      bubble('them', opening.message)
      if (history.outcome) await ending(history.outcome, [])
      chapters()
    } catch (error) {
      trouble(error, $('talk').hidden ? $('enter-fault') : $('fault'))
    }
    if (waiting) waiting.remove()
    ready()
  }

  // resume draws a session from its history; false where there is none.
  const resume = async (id, here) => {
    let history
    try {
      history = await read('GET', chat('history'), { user_session_id: me.user, machine_id: id })
    } catch (refusal) {
      if (refusal.status === 404) return false
      throw refusal
    }
    me.machine = id || me.machine
    me.name = history.player_name
    me.gender = history.player_gender
    draw(history)
    keep()
    inside()
    if (history.outcome) await ending(history.outcome, [])
    chapters()
    down()
    if (here) tell('Here you left off.')
    return true
  }
  const draw = (history) => {
    log.replaceChildren()
    ended = Boolean(history.outcome)
    let from = null, before = 0
    for (const m of history.messages) {
      bubble(m.role === 'user' ? 'you' : 'them', m.content)
      if (m.role !== 'assistant') continue
      if (from !== null) moved(from, m.state_key_at_time, before, m.score_at_time)
      from = m.state_key_at_time
      before = m.score_at_time
    }
    stand(history.current_state, history.score, history.redirect_count)
    settle(history.messages)
  }
  // settle decides whether a turn whose answer was lost has counted; what has
  // not counted is given back as text, under its key.
  const settle = (messages) => {
    const pending = me.pending
    if (!pending || pending.machine !== me.machine) return
    const mine = messages.filter((m) => m.role === 'user')
    if (mine.length > pending.said && mine[mine.length - 1].content === pending.text) me.pending = null
    else if (!$('words').value) $('words').value = pending.text
  }

  const say = async (text) => {
    const same = me.pending && me.pending.text === text && me.pending.machine === me.machine
    if (!same) me.pending = { text, key: random(), machine: me.machine, said: log.querySelectorAll('.you').length }
    keep()
    working()
    const mine = bubble('you', text)
    const theirs = dots()
    $('words').value = ''
    grow()
    let heard = ''
    try {
      const turn = me.pending
      let reply = null
      const streams = await streamed(turn, (event, value) => {
        if (event === 'text_delta') {
          const follow = near()
          heard += value.text
          spoken(theirs, heard)
          if (follow) down()
        }
        if (event === 'error') throw new Refusal(502, value, 0)
        if (event === 'done') reply = value
        return event === 'done'
      })
      if (!streams) reply = await read('POST', chat('message'), { machine_id: turn.machine }, { message: turn.text, user_session_id: me.user }, turn.key)
      me.pending = null
      keep()
      theirs.remove()
      bubble('them', reply.message)
      moved(state, reply.current_state, score, reply.score)
      ended = Boolean(reply.machine_completed)
      stand(reply.current_state, reply.score, reply.redirect_count)
      busy = false
      if (reply.machine_completed) {
        await ending(reply.outcome, reply.unlocked_machines || [])
        chapters()
      }
    } catch (error) {
      theirs.remove()
      mine.remove()
      if (!$('words').value) $('words').value = text
      ready()
      return trouble(error, $('fault'))
    }
    if (!busy) ready()
  }

  const restart = async () => {
    if (busy) return
    $('menu').open = false
    working()
    try {
      await call('POST', chat('reset'), { user_session_id: me.user, machine_id: me.machine })
      me.pending = null
      ended = false
      await resume(me.machine, false)
      tell('Begun again.')
    } catch (error) {
      trouble(error, $('fault'))
    }
    ready()
  }

  // chapters lists the parts of the story that the player may enter.
  const chapters = async () => {
    try {
      const list = await read('GET', progressPath('available-machines'), { user_session_id: me.user })
      $('chapters').replaceChildren(...(list.length < 2 ? [] : list.map((m) => {
        const outcome = persona.endings[m.session_outcome]
        const button = make('button', '', m.name || name(m.machine_id), make('small', '', m.machine_id === me.machine ? 'You are here' : outcome ? outcome.short : m.has_session ? 'Begun' : 'New'))
        button.type = 'button'
        button.onclick = () => open(m.machine_id)
        return button
      })))
    } catch { /* the menu stays as it is */ }
  }

  // ---- what goes wrong ----
  const trouble = (error, where) => {
    if (error instanceof Lost) {
      where.textContent = 'The server cannot be reached. Your words are kept: send them again when it is back.'
    } else if (error.status === 429) {
      countdown(error.wait || 1, where)
    } else if (error.status === 401) {
      signIn()
    } else if (error.code === 'machine-locked') {
      where.textContent = 'This part is still closed. Another part has to be finished first.'
    } else if (error.code === 'machine-finished' || error.code === 'conflict') {
      where.textContent = error.code === 'conflict' ? 'The conversation went on in another window. Here is how it stands now.' : ''
      me.pending = null
      resume(me.machine, false).then(ready, () => {})
    } else if (error.status === 403) {
      where.textContent = 'This conversation belongs to somebody who is signed in. Start as somebody else from the menu.'
    } else if (error.status === 404) {
      where.textContent = 'This conversation is gone from the server. Start again from the menu.'
    } else if (error.status >= 500) {
      where.textContent = error.message + ' Nothing of it counted: send it again.'
    } else {
      where.textContent = error.message || String(error)
    }
  }
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
      clearInterval(timer)
      where.setAttribute('role', 'alert')
      tell('You can send it now.')
    }
    clearInterval(timer)
    timer = setInterval(tick, 250)
    tick()
  }

  // ---- hands ----
  $('enter').addEventListener('submit', (event) => {
    event.preventDefault()
    const called = $('player').value.trim()
    $('enter-fault').textContent = called ? '' : 'What shall ' + persona.name + ' call you?'
    if (!called) return $('player').focus()
    me = { user: 'web-' + random(), name: called, gender: new FormData($('enter')).get('gender'), machine: '', pending: null }
    open('')
  })
  $('send').addEventListener('submit', (event) => {
    event.preventDefault()
    const text = $('words').value.trim()
    if (text && !busy && !$('go').disabled) say(text)
  })
  $('words').addEventListener('input', grow)
  $('words').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || narrow.matches) return
    event.preventDefault()
    $('send').requestSubmit()
  })
  $('again').addEventListener('click', restart)
  $('leave').addEventListener('click', () => {
    if (busy) return
    $('menu').open = false
    forget()
    me = { user: '', name: me.name, gender: me.gender, machine: '', pending: null }
    log.replaceChildren()
    fault()
    outside()
  })
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape' && $('menu').open) { $('menu').open = false; $('menu').firstElementChild.focus() } })
  document.addEventListener('click', (event) => { if (!$('menu').contains(event.target)) $('menu').open = false })

  // ---- begin ----
  const start = async () => {
    if (persona.sign_in) return signIn()
    if (!me.user) return outside()
    try {
      if (await resume(me.machine, true)) return ready()
      outside()
    } catch (error) {
      if (error.status === 401) return signIn()
      outside()
      if (error.status === 403) { forget(); return }
      closed('The server cannot be reached right now. Reload this page to go on where you left off.')
    }
  }
  start()
})()
