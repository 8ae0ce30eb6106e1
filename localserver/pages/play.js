// Plays one persona. Whatever a persona, a player or the server says reaches the
// page as text (textContent, text nodes) and never as markup.
;(() => {
  const data = document.getElementById('persona')
  if (!data) return
  const persona = JSON.parse(data.textContent)
  const machines = new Map(persona.machines.map((m) => [m.id, m]))
  const narrow = matchMedia('(hover: none) and (pointer: coarse)')

  // ---- what is remembered on this device ----
  const shelf = 'parley:' + persona.id
  let me = { user: '', name: '', gender: 'non-binary', machine: '' }
  // pending is a turn whose answer has not come: this tab's, so that no other one sends it too.
  let pending = null
  const remember = (store, value) => { try { value ? store().setItem(shelf, JSON.stringify(value)) : store().removeItem(shelf) } catch { /* not kept, still playable */ } }
  const recall = (store) => { try { return JSON.parse(store().getItem(shelf)) } catch { return null /* private window */ } }
  const device = () => localStorage, thisTab = () => sessionStorage
  const keep = () => { remember(device, me.user && me); remember(thisTab, pending) }
  Object.assign(me, recall(device))
  pending = recall(thisTab)

  // ---- other tabs with the same conversation ----
  const tabs = window.BroadcastChannel ? new BroadcastChannel(shelf) : { postMessage() {} }
  const tellTabs = () => tabs.postMessage(me)

  const chat = (verb) => '/chat/' + encodeURIComponent(persona.id) + '/' + verb
  const progressPath = (verb) => '/personas/' + encodeURIComponent(persona.id) + '/' + verb

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
  // ---- where the session stands ----
  // said is how many messages of the player this part has, stale where another tab is by now.
  let state = '', score = 0, ended = false, busy = false, said = 0, stale = null
  const machine = () => machines.get(me.machine) || { name: '', states: {}, redirects: {}, scored: false, threshold: 0 }
  const label = (key) => machine().states[key] || key
  // tries says how many tries are left in a state; '' where they are not counted.
  const tries = (redirects) => {
    const most = machine().redirects[state]
    if (ended || most === undefined || redirects === undefined) return ''
    const left = Math.max(most - redirects, 0) + 1
    return left === 1 ? persona.tries.last : persona.tries.left.replace('%d', left)
  }
  // scored is the score beside the one that is enough.
  const scored = (m) => (score > m.threshold ? persona.score.beyond : persona.score.within).replace('%score', score).replace('%enough', m.threshold)
  const stand = (nextState, nextScore, redirects) => {
    state = nextState
    score = nextScore
    const m = machine()
    const left = tries(redirects)
    $('part').replaceChildren(make('span', 'place', [m.name, label(state)].filter(Boolean).join(' · ')), make('span', 'tries', left && '\u00a0· ' + left))
    $('part').classList.toggle('last', left === persona.tries.last)
    $('score').hidden = !m.scored
    $('score-text').textContent = scored(m)
    $('score-text').title = 'Your score, and what you need'
    $('score-bar').className = score < 0 ? 'below' : ''
    const share = m.threshold > 0 ? Math.abs(score) / m.threshold : score < 0 ? 1 : 0
    $('score-bar').style.width = Math.min(100, share * 100) + '%'
  }

  // moved notes what a turn changed, in one quiet line.
  const moved = (m, from, to, before, after) => {
    const words = []
    if (from !== to) words.push(m.states[to] || to)
    if (m.scored && before !== after) words.push((after > before ? '+' : '−') + Math.abs(after - before))
    if (words.length > 0) put(make('p', 'turn', words.join(' · ')))
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
    grow()
    if (!ended && !narrow.matches && !$('menu').contains(document.activeElement)) $('words').focus({ preventScroll: true })
    if (stale) follow(stale)
  }
  const working = () => {
    busy = true
    fault()
    stopCountdown()
    $('go').disabled = true
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
  const signIn = () => closed('This server asks players to sign in, which this page cannot do.\n\nPlay in a terminal instead:\nparley chat ' + location.href)

  // ---- endings ----
  // closing is how a part ended. What is announced of it is its title, once, by tell; and the
  // button that has the focus.
  const closing = (outcome, m, points) => {
    const { kind, title } = persona.endings[outcome] || { kind: '', title: 'The end' }
    const card = make('section', 'end ' + kind, make('h2', '', title))
    card.setAttribute('aria-label', title)
    card.setAttribute('aria-live', 'off')
    if (m.scored) card.append(make('p', '', 'Your score: ' + points + ', needed: ' + m.threshold + '.'))
    return put(card)
  }
  // retire takes the life out of the buttons of endings that are past.
  const retire = () => { for (const button of log.querySelectorAll('.end button')) button.disabled = true }
  const ending = async (outcome, unlocked) => {
    ended = true
    const card = closing(outcome, machine(), score)
    const title = card.firstElementChild.textContent
    const ways = make('div', 'ways')
    const next = unlocked.includes(persona.leads[me.machine]) ? persona.leads[me.machine] : ''
    // A key that is held down since the last message chooses nothing.
    card.onkeydown = (event) => { if (event.repeat) event.preventDefault() }
    $('send').hidden = true
    if (next) {
      card.append(make('p', '', 'Going on to ' + name(next) + ' …'), ways)
      ways.append(way(next, 'Unlocked'))
      tell(title + '. Going on to ' + name(next) + '.')
      choose(ways)
      const from = me.machine
      await new Promise((done) => setTimeout(done, 1600))
      return me.machine === from && !busy && card.isConnected ? open(next) : undefined
    }
    const others = unlocked.length > 0 ? [] : await reachable()
    for (const id of unlocked) ways.append(way(id, 'Unlocked'))
    for (const other of others) ways.append(way(other.machine_id, ''))
    const again = make('button', ways.children.length === 0 ? 'first' : '', 'Begin this part again')
    again.type = 'button'
    again.onclick = () => restart(true)
    ways.append(again)
    card.append(ways)
    tell(title + (unlocked.length > 0 ? '. Unlocked: ' + unlocked.map(name).join(', ') : '') + '.')
    choose(ways)
  }
  // choose gives the focus to the first of an ending's buttons, and shows all of it.
  const choose = (ways) => {
    down()
    ways.firstElementChild.focus({ preventScroll: true })
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
      pending = null
      keep()
      ended = false
      retire()
      said = 0
      if (waiting) put(make('p', 'chapter', machine().name))
      const history = await historyOf(me.machine)
      stand(history.current_state, history.score, history.redirect_count)
      inside()
      bubble('them', opening.message)
      tellTabs()
      if (history.outcome) await ending(history.outcome, [])
      chapters()
    } catch (error) {
      trouble(error, $('talk').hidden ? $('enter-fault') : $('fault'))
    }
    if (waiting) waiting.remove()
    ready()
  }

  // resume draws the story from its histories, the part that is open last; false where
  // there is no such part.
  const resume = async (id, here) => {
    let history
    try {
      history = await historyOf(id)
    } catch (refusal) {
      if (refusal.status === 404) return false
      throw refusal
    }
    const before = await earlier(id || me.machine)
    me.machine = id || me.machine
    me.name = history.player_name
    me.gender = history.player_gender
    quietly(() => draw(before, history))
    keep()
    inside()
    if (history.outcome) await ending(history.outcome, [])
    chapters()
    down()
    if (here && !history.outcome) tell('Here you left off.')
    return true
  }
  const historyOf = (id) => read('GET', chat('history'), { user_session_id: me.user, machine_id: id })
  // earlier gives the other parts that were played, as they were begun. Without them the
  // open one is still there to be played.
  const earlier = async (here) => {
    try {
      const list = await read('GET', progressPath('available-machines'), { user_session_id: me.user })
      const played = list.filter((m) => m.has_session && m.machine_id !== here && machines.has(m.machine_id))
      const parts = await Promise.all(played.map(async (m) => ({ id: m.machine_id, history: await historyOf(m.machine_id) })))
      return parts.sort((a, b) => a.history.started_at < b.history.started_at ? -1 : 1)
    } catch { return [] }
  }
  // quietly changes the log without its being read out: it was heard before.
  const quietly = (change) => {
    log.setAttribute('aria-live', 'off')
    change()
    setTimeout(() => log.setAttribute('aria-live', 'polite'), 300)
  }
  const draw = (before, history) => {
    log.replaceChildren()
    for (const part of before) {
      const m = machines.get(part.id)
      put(make('p', 'chapter', m.name))
      tellPart(m, part.history.messages)
      if (part.history.outcome) closing(part.history.outcome, m, part.history.score)
    }
    if (before.length > 0) put(make('p', 'chapter', machine().name))
    ended = Boolean(history.outcome)
    tellPart(machine(), history.messages)
    stand(history.current_state, history.score, history.redirect_count)
    settle(history.messages)
  }
  const tellPart = (m, messages) => {
    let from = null, before = 0
    said = 0
    for (const message of messages) {
      bubble(message.role === 'user' ? 'you' : 'them', message.content)
      if (message.role !== 'assistant') { said++; continue }
      if (from !== null) moved(m, from, message.state_key_at_time, before, message.score_at_time)
      from = message.state_key_at_time
      before = message.score_at_time
    }
  }
  // follow goes where another tab is, and lets what is being written stand. What that tab
  // has kept on this device may come here later than its word.
  const follow = async (there) => {
    stale = busy ? there : null
    if (busy) return
    if (there.user !== me.user) pending = null
    me = { ...me, ...there }
    if (!me.user) return leave()
    working()
    await resume(me.machine, false).catch(() => { /* it is asked again before the next step */ })
    ready()
  }
  const leave = () => {
    log.replaceChildren()
    fault()
    outside()
  }
  // caughtUp tells whether the open part stands here as it stands on the server.
  const caughtUp = async () => {
    const history = await historyOf(me.machine)
    return Boolean(history.outcome) === ended && history.messages.filter((m) => m.role === 'user').length === said
  }
  // settle decides whether a turn whose answer was lost has counted; what has
  // not counted is given back as text, under its key.
  const settle = (messages) => {
    if (!pending || pending.user !== me.user || pending.machine !== me.machine) return
    const mine = messages.filter((m) => m.role === 'user')
    if (mine.length > pending.said && mine[mine.length - 1].content === pending.text) pending = null
    else if (!$('words').value) $('words').value = pending.text
  }

  let stopped = null // ends the turn that is under way
  const say = async (text) => {
    const same = pending && pending.user === me.user && pending.text === text && pending.machine === me.machine
    if (!same) pending = { text, key: random(), user: me.user, machine: me.machine, said }
    keep()
    working()
    const halt = stopped = new AbortController()
    $('stop').hidden = false
    $('go').hidden = true
    const mine = bubble('you', text)
    const theirs = dots()
    $('words').value = ''
    grow()
    let heard = ''
    try {
      const turn = pending, words = { message: turn.text, user_session_id: me.user }
      let reply = null
      const streams = await streamed(chat('message/stream'), { machine_id: turn.machine }, words, turn.key, halt.signal, (event, value) => {
        if (event === 'text_delta') {
          const atEnd = near()
          heard += value.text
          spoken(theirs, heard)
          if (atEnd) down()
        }
        if (event === 'error') throw new Refusal(502, value, 0)
        if (event === 'done') reply = value
        return event === 'done'
      })
      if (!streams) reply = await read('POST', chat('message'), { machine_id: turn.machine }, words, turn.key, halt.signal)
      pending = null
      said++
      keep()
      tellTabs()
      theirs.remove()
      bubble('them', reply.message)
      moved(machine(), state, reply.current_state, score, reply.score)
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
      if (halt.signal.aborted) return halted(text)
      if (!$('words').value) $('words').value = text
      ready()
      return trouble(error, $('fault'))
    }
    if (!busy) ready()
  }

  // halted says what came of a turn that was stopped: all of it was kept, or nothing.
  const halted = async (text) => {
    try {
      await resume(me.machine, false)
      tell(pending ? 'Stopped. Nothing was kept, and your words are back.' : 'Stopped too late: all of it was kept.')
    } catch (error) {
      if (!$('words').value) $('words').value = text
      trouble(error, $('fault'))
    }
    ready()
  }

  // restart begins the open part again; from an ending only as long as it is still that one.
  const restart = async (fromEnding) => {
    if (busy) return
    $('menu').open = false
    working()
    try {
      if (fromEnding && !await caughtUp()) throw new Refusal(409, { code: 'conflict' }, 0)
      await call('POST', chat('reset'), { user_session_id: me.user, machine_id: me.machine })
      pending = null
      ended = false
      retire()
      await resume(me.machine, false)
      tellTabs()
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
      pending = null
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

  // ---- hands ----
  $('enter').addEventListener('submit', (event) => {
    event.preventDefault()
    const called = $('player').value.trim()
    $('enter-fault').textContent = called ? '' : 'What shall ' + persona.name + ' call you?'
    if (!called) return $('player').focus()
    me = { user: 'web-' + random(), name: called, gender: new FormData($('enter')).get('gender'), machine: '' }
    pending = null
    open('')
  })
  $('send').addEventListener('submit', (event) => {
    event.preventDefault()
    const text = $('words').value.trim()
    if (text && !busy && !$('go').disabled) say(text)
  })
  $('words').addEventListener('input', grow)
  // Arrow up in an empty input calls up what was said last, to be sent again or changed.
  $('words').addEventListener('keydown', (event) => {
    const mine = log.querySelectorAll('.you'), last = mine[mine.length - 1]
    if (event.key === 'ArrowUp' && !$('words').value && last) {
      event.preventDefault()
      $('words').value = last.lastElementChild.dataset.text
      grow()
    }
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || narrow.matches) return
    event.preventDefault()
    $('send').requestSubmit()
  })
  $('again').addEventListener('click', () => restart(false))
  $('leave').addEventListener('click', () => {
    if (busy) return
    $('menu').open = false
    me = { user: '', name: me.name, gender: me.gender, machine: '' }
    pending = null
    keep()
    tellTabs()
    leave()
  })
  const stop = () => { if (busy && stopped) stopped.abort() }
  $('stop').onclick = stop
  tabs.onmessage = (event) => follow(event.data)
  document.addEventListener('visibilitychange', async () => {
    if (document.hidden || busy || !me.machine || !$('door').hidden) return
    if (!await caughtUp().catch(() => true) && !busy) follow(me)
  })
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape' && !$('menu').open) stop() })
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
      if (error.status === 403) { me.user = ''; keep(); return }
      closed('The server cannot be reached right now. Reload this page to go on where you left off.')
    }
  }
  start()
})()
