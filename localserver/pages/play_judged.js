// Explains a reply: how the player's message was judged, by which method, and the tokens that were
// used. Only for players who may read the trace.

// explain adds a closed explanation to a reply. number is the index of the reply in the machine's
// session, after the opening line. The explanation is loaded when it is opened.
const explain = (reply, machine, number) => {
  if (!persona.explains) return
  const text = make('div', '', 'One moment…'), box = make('details', 'judged', make('summary', '', 'Why'), text)
  box.setAttribute('aria-live', 'off')
  box.ontoggle = async () => {
    if (!box.open) return
    try {
      text.replaceChildren(...judgedLines(await traceOf(machine, number)))
      box.ontoggle = null
    } catch (error) {
      text.textContent = error instanceof Lost ? 'The server cannot be reached: open it again later.' : error.message
    }
  }
  reply.append(box)
}
// traceOf loads the explanation of a reply: the newest trace before the next reply.
const traceOf = async (machine, number) => {
  const replies = (await historyOf(machine)).messages.filter((m) => m.role === 'assistant')
  const reply = replies[number], next = replies[number + 1]
  const { turns } = await read('GET', chat('trace'), { user_session_id: me.user, machine_id: machine, limit: '1', before: next && next.id })
  if (!reply || turns.length === 0 || turns[0].message_id !== reply.id) throw new Error('The server does not explain this reply.')
  return turns[0]
}
const judgedLines = (turn) => {
  const choices = [...(turn.choices || [])].sort((a, b) => b.probability - a.probability)
  const by = [turn.method && 'by ' + turn.method, turn.milliseconds && counted(turn.milliseconds) + ' ms'].filter(Boolean).join(', ')
  return [
    turn.evaluation && make('p', '', 'Judged: ' + turn.evaluation),
    choices.length > 0 && make('ul', '', ...choices.map(choiceLine)),
    by && make('p', '', 'Judged ' + by),
    turn.reply && make('p', '', 'Spoken by: ' + turn.reply),
    ...Object.entries(turn.usage).map(([step, u]) => make('p', '', 'Tokens, ' + step + ' by ' + u.model + ': ' +
      counted(u.in) + ' read, ' + counted(u.cached || 0) + ' of them cached, ' + counted(u.out) + ' written')),
  ].filter(Boolean)
}
const choiceLine = (choice) => {
  const share = Math.round(choice.probability * 100), bar = make('i')
  bar.style.width = share + '%'
  const track = make('span', 'track', bar)
  track.setAttribute('aria-hidden', 'true')
  return make('li', '', make('span', '', choice.decision.replaceAll('_', ' ') + ' ' + share + ' %'), track)
}
const counted = (n) => n.toLocaleString('en')
