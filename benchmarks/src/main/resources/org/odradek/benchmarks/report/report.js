'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
const fixed = {
  'bare-loop': '#7d8790', 'stock': '#d9822b', 'stock-defaults': '#e8b26a', 'stock-new': '#b5476b', 'stock-tuned': '#8a5a2b',
  'librdkafka': '#5b6fd6', 'empty-jvm': '#a9b2ba'
};
const ours = ['#0f8b8d', '#5cc0a4', '#0b6a86', '#8fb23f', '#41a9d6', '#2f7d4f', '#9ad0c2'];
const others = ['#9c6ade', '#c2a633', '#d4604d', '#7a5c3e', '#c471b5', '#4f5d9e', '#a0522d'];
const compact = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});
// A billion is G: B would be read as bytes.
const numbers = {format: value => compact.format(value).replace('K', 'k').replace('B', 'G')};
const seen = {ours: [], others: []};

// The same client has the same colour in every chart, and the forms of ours are of one family.
function colourOf(client) {
  if (fixed[client]) {
    return fixed[client];
  }
  const isOurs = client.startsWith('odradek');
  const clients = isOurs ? seen.ours : seen.others;
  if (!clients.includes(client)) {
    clients.push(client);
  }
  const colours = isOurs ? ours : others;
  return colours[clients.indexOf(client) % colours.length];
}

function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// From least to most, and the median in words beyond it.
const whiskers = {
  id: 'whiskers',
  afterDatasetsDraw(chart) {
    const draw = chart.ctx;
    const scale = chart.scales.x;
    draw.save();
    draw.font = '11px system-ui, sans-serif';
    draw.textBaseline = 'middle';
    chart.data.datasets.forEach((set, index) => {
      if (!chart.isDatasetVisible(index)) {
        return;
      }
      chart.getDatasetMeta(index).data.forEach((bar, place) => {
        const row = set.rows[place];
        if (!row) {
          return;
        }
        const {median, min, max} = row;
        const [from, to] = [scale.getPixelForValue(min), scale.getPixelForValue(max)];
        const half = Math.min(4, bar.height / 2);
        draw.strokeStyle = draw.fillStyle = ink('--ink');
        draw.lineWidth = 1.2;
        draw.beginPath();
        if (to - from >= 1) {
          draw.moveTo(from, bar.y);
          draw.lineTo(to, bar.y);
          for (const end of [from, to]) {
            draw.moveTo(end, bar.y - half);
            draw.lineTo(end, bar.y + half);
          }
        }
        draw.stroke();
        draw.fillText(numbers.format(median), Math.max(to, scale.getPixelForValue(median)) + 5, bar.y + .5);
      });
    });
    draw.restore();
  }
};

function axis(title, more) {
  return Object.assign({
    title: {display: true, text: title, color: ink('--soft')},
    ticks: {color: ink('--soft'), callback: value => numbers.format(value)},
    grid: {color: ink('--line')}
  }, more);
}

function clientsOf(rows) {
  return [...new Set(rows.map(row => row.client))];
}

// One for each bar, so that a case has as much room as it has clients, and an empty one between cases.
function slotsOf(spec) {
  const slots = [];
  for (const name of spec.cases) {
    const ofCase = spec.rows.filter(row => row.case === name);
    const rows = clientsOf(spec.rows).flatMap(client => ofCase.filter(row => row.client === client));
    if (rows.length) {
      rows.forEach((row, i) => slots.push({row, label: i === (rows.length - 1 >> 1) ? name : ''}));
      slots.push({label: ''});
    }
  }
  slots.pop();
  return slots;
}

function bars(spec) {
  const slots = slotsOf(spec);
  const most = Math.max(...spec.rows.map(row => row.max));
  return {
    type: 'bar',
    plugins: [whiskers],
    data: {
      labels: slots.map(slot => slot.label),
      datasets: clientsOf(spec.rows).map(client => {
        const rows = slots.map(slot => slot.row && slot.row.client === client ? slot.row : null);
        return {
          label: client,
          data: rows.map(row => row && row.median),
          rows,
          backgroundColor: colourOf(client),
          grouped: false,
          barPercentage: .92,
          categoryPercentage: 1
        };
      })
    },
    options: {
      indexAxis: 'y',
      scales: {
        // Room for the words beyond the longest bar.
        x: axis(spec.unit, {beginAtZero: true, suggestedMax: most > 0 ? most * 1.15 : 1}),
        y: {ticks: {color: ink('--ink'), autoSkip: false}, grid: {display: false}}
      },
      plugins: {
        tooltip: {callbacks: {title: items => slots[items[0].dataIndex].row.case, label: item => {
          const {client, median, min, max} = slots[item.dataIndex].row;
          const all = value => value.toLocaleString('en', {maximumSignificantDigits: 6});
          return `${client}: ${all(median)} (${all(min)} to ${all(max)}) ${spec.unit}`;
        }}}
      }
    }
  };
}

// A line for each client that has points, drawn with these settings of the points.
function linesOf(curves, points, x, y, title, label) {
  return {
    type: 'line',
    data: {
      datasets: curves.map(([client, data]) => ({
        label: client, data, borderColor: colourOf(client), backgroundColor: colourOf(client), borderWidth: 2, ...points
      })).filter(line => line.data.length)
    },
    options: {scales: {x, y}, plugins: {tooltip: {callbacks: {title: items => title(items[0]), label}}}}
  };
}

function curvesOf(spec) {
  return Object.entries(spec.curves).map(([client, points]) => [client, points.map(([x, y]) => ({x, y}))]);
}

function labelOf(spec) {
  return item => `${item.dataset.label}: ${numbers.format(item.parsed.y)} ${spec.unit}`;
}

function curves(spec) {
  const percentile = rare => {
    const power = Math.round(Math.log10(rare));
    return Math.abs(rare - 10 ** power) > rare * 1e-6 ? null :
      power === 0 ? '0 %' : (100 - 100 / rare).toFixed(Math.max(0, power - 2)) + ' %';
  };
  return linesOf(curvesOf(spec), {pointRadius: 0, pointHitRadius: 6},
    axis('percentile', {type: 'logarithmic', min: 1, ticks: {
      color: ink('--soft'), maxRotation: 0, callback: percentile}}),
    axis(spec.unit, {type: 'logarithmic', ticks: {
      color: ink('--soft'), callback: value => Number.isInteger(Math.log10(value)) ? numbers.format(value) : null}}),
    item => (100 - 100 / item.parsed.x).toPrecision(6) + ' %', labelOf(spec));
}

// One metric over another: a line for each client that has both, through a point for each case.
function lines(spec) {
  const pointsOf = client => spec.acrossRows.filter(row => row.client === client).flatMap(across =>
    spec.rows.filter(up => up.client === client && up.case === across.case)
      .map(up => ({x: across.median, y: up.median, name: up.case})));
  return linesOf(clientsOf(spec.acrossRows).map(client => [client, pointsOf(client)]), {pointRadius: 4},
    axis(spec.across, {type: 'logarithmic'}), axis(spec.unit, {beginAtZero: true}),
    item => item.raw.name, item => `${labelOf(spec)(item)} at ${numbers.format(item.raw.x)} µs`);
}

// A line for each client over seconds.
function times(spec) {
  return linesOf(curvesOf(spec), {pointRadius: 3},
    axis('second', {type: 'linear', min: 0, ticks: {color: ink('--soft'), precision: 0}}),
    axis(spec.unit, {beginAtZero: true}), item => 'second ' + item.parsed.x, labelOf(spec));
}

function heightOf(spec) {
  if (spec.kind !== 'bars') {
    return 340;
  }
  return 105 + slotsOf(spec).length * 16;
}

const drawn = [];

function draw() {
  drawn.splice(0).forEach(chart => chart.destroy());
  for (const spec of data) {
    const canvas = document.getElementById(spec.id);
    canvas.parentElement.style.height = heightOf(spec) + 'px';
    const config = {bars, curves, lines, times}[spec.kind](spec);
    config.options.animation = false;
    config.options.maintainAspectRatio = false;
    config.options.plugins.legend = {
      position: 'bottom', labels: {color: ink('--ink'), boxWidth: 12, boxHeight: 12}};
    drawn.push(new Chart(canvas, config));
  }
}

draw();
dark.addEventListener('change', draw);
