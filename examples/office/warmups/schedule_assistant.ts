//STATEK: hidden = True
const office = openOffice();
// ----------
const team = office.team('sales');
print(brief(team));
// ----------
print(team.people.map((person) => `${person.name}, ${person.zone}`).join('; '));
