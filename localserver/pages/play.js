// Plays one persona: the player's actions, the errors, and the start of the page. A text from a
// persona, a player or the server is always inserted as text (textContent, text nodes) and never as
// markup.

// ---- actions ----
// open opens a machine, or continues its session where the player left it.
const open = async (id) => {
  if (busy) return
  $('menu').open = false
  working()
  if (id && await resume(id, true).catch(() => false)) return ready()
  const waiting = $('talk').hidden ? null : dots()
  const where = $('talk').hidden ? $('enter-fault') : $('fault')
  try {
    let opening = null
    await streamed(chat('init-session'), { machine_id: id }, { user_session_id: me.user, player_name: me.name, player_gender: me.gender }, random(), undefined, (event, value) => {
      where.textContent = event === 'waiting' ? waitSentence(value) : ''
      if (event === 'error') throw eventRefusal(value)
      if (event === 'done') opening = value
      return event === 'done'
    })
    if (!opening) throw new Refusal(404, null, 0)
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
    tellTries(machine(), state)
    tellTabs()
    if (history.outcome) await ending(endOf(history), [])
    chapters()
  } catch (error) {
    trouble(error, where)
  }
  if (waiting) waiting.remove()
  ready()
}

let stopped = null // aborts the turn in progress
// say sends a message and returns whether it was answered. isAgain asks for a reply in other words
// to the message that was just taken back.
const say = async (text, isAgain) => {
  const same = pending && pending.user === me.user && pending.text === text && pending.machine === me.machine
  if (!same) pending = { text, key: random(), user: me.user, machine: me.machine, said, again: Boolean(isAgain) }
  keep()
  working()
  const halt = stopped = new AbortController()
  $('stop').hidden = false
  $('go').hidden = true
  const mine = bubble('you', text)
  const theirs = dots()
  if ($('words').value.trim() === text) $('words').value = ''
  grow()
  let heard = ''
  try {
    const turn = pending, words = { message: turn.text, user_session_id: me.user, ...(turn.again ? { same_verdict: true } : {}) }
    let reply = null
    const streams = await streamed(chat('message/stream'), { machine_id: turn.machine }, words, turn.key, halt.signal, (event, value) => {
      fault(event === 'waiting' ? waitSentence(value) + ' Esc stops the waiting.' : '')
      if (event === 'text_delta') {
        const atEnd = near()
        heard += value.text
        spoken(theirs, heard)
        if (atEnd) down()
      }
      if (event === 'error') throw eventRefusal(value)
      if (event === 'done') reply = value
      return event === 'done'
    })
    if (!streams) reply = await read('POST', chat('message'), { machine_id: turn.machine }, words, turn.key, halt.signal)
    pending = null
    said++
    keep()
    const before = { state, score, redirects }
    tellTabs()
    theirs.remove()
    explain(bubble('them', reply.message), me.machine, said)
    ended = Boolean(reply.machine_completed)
    moved(machine(), before, { state: reply.current_state, score: reply.score, redirects: reply.redirect_count })
    stand(reply.current_state, reply.score, reply.redirect_count)
    busy = false
    if (reply.machine_completed) {
      await ending({ outcome: reply.outcome, name: reply.ending || '', state: reply.current_state, score: reply.score, decision: reply.decision, before, said: text, isLive: true }, reply.unlocked_machines || [])
      chapters()
    }
  } catch (error) {
    theirs.remove()
    mine.remove()
    if (error.code === 'nothing-to-repeat') pending = null
    if (halt.signal.aborted) return halted(text)
    if (!$('words').value) $('words').value = text
    ready()
    return trouble(error, $('fault'))
  }
  if (!busy) ready()
  return true
}

// halted shows the result of a stopped turn: it was stored completely, or not at all.
const halted = async (text) => {
  try {
    await resume(me.machine, false)
    tell(pending ? 'Stopped. The message does not count, and your text is back in the input.' : 'Stopped too late: the message counts.')
  } catch (error) {
    if (!$('words').value) $('words').value = text
    trouble(error, $('fault'))
  }
  ready()
}

// restart starts the current part again. From an ending it does so only if another tab has not
// restarted the part.
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
    tell('The part was started again.')
  } catch (error) {
    trouble(error, $('fault'))
    ready()
    return false
  }
  ready()
  return true
}

// chapters lists the parts of the story that the player may enter.
const chapters = async () => {
  $('found').textContent = foundWords()
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

// ---- errors ----
// eventRefusal returns the error in an event of a stream.
const eventRefusal = (value) => new Refusal(502, value, value.error && value.error.retry_after || 0)
const trouble = (error, where) => {
  if (error instanceof Lost) {
    where.textContent = 'The server cannot be reached. Your text is still here: send it again later.'
  } else if (error.status === 429) {
    countdown(error.wait || 1, where)
  } else if (error.status === 401) {
    signIn()
  } else if (error.code === 'machine-locked') {
    where.textContent = 'This part is locked. Finish another part first.'
  } else if (error.code === 'machine-finished' || error.code === 'conflict') {
    where.textContent = error.code === 'conflict' ? 'The conversation continued in another window. This is its current state.' : ''
    pending = null
    resume(me.machine, false).then(ready, () => {})
  } else if (error.status === 403) {
    where.textContent = 'This conversation belongs to somebody who is signed in. Start as somebody else from the menu.'
  } else if (error.status === 404) {
    where.textContent = 'This conversation is gone from the server. Start again from the menu.'
  } else if (error.status >= 500) {
    const waits = error.wait > 0 ? ' It can be asked again in ' + error.wait + ' seconds.' : ''
    where.textContent = error.message.includes('nothing was stored') ? error.message + '.' + waits : error.message + ' The message did not count: send it again.' + waits
  } else {
    where.textContent = error.message || String(error)
  }
}

// ---- input ----
$('enter').addEventListener('submit', (event) => {
  event.preventDefault()
  const called = $('player').value.trim()
  $('enter-fault').textContent = called ? '' : 'What shall ' + persona.name + ' call you?'
  if (!called) return $('player').focus()
  me = { user: 'web-' + random(), name: called, gender: new FormData($('enter')).get('gender'), machine: '', found: [] }
  pending = null
  open('')
})
$('send').addEventListener('submit', (event) => {
  event.preventDefault()
  const text = $('words').value.trim()
  if (text && !busy && !$('go').disabled) say(text)
})
$('words').addEventListener('input', grow)
// Arrow up in an empty input restores the player's last message, to be sent again or changed.
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
$('undo').addEventListener('click', () => takeBack(false))
$('other').addEventListener('click', () => takeBack(true))
$('again').addEventListener('click', () => restart(false))
$('leave').addEventListener('click', () => {
  if (busy) return
  $('menu').open = false
  me = { user: '', name: me.name, gender: me.gender, machine: '', found: [] }
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

// ---- start ----
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
    closed('The server cannot be reached right now. Reload this page to continue.')
  }
}
start()
