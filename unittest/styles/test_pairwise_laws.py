"""The laws of fix pairwise/triad beside LAMMPS's pair and bond styles of the same formulas, run by run."""

import itertools
import re

import numpy as np
import pytest
from compare import assert_same_course
from lammps_run import run_lammps
from pairwise import fix_of
from test_pairwise_stock import ALONE, LIQUID, NVE, OUTPUT

TYPES = [(1, 1), (1, 2), (2, 2)]
YUKAWA = [(2.0,), (-1.0,), (3.5,)]
MORSE = [(1.0, 3.0, 1.1), (0.7, 2.5, 1.2), (1.3, 3.5, 1.0)]
BUCK = [(400.0, 0.2, 1.0), (600.0, 0.18, 0.5), (300.0, 0.22, 2.0)]


def pair_coeffs(entries):
    return "".join("pair_coeff {} {} {}\n".format(*pair, " ".join(map(str, e))) for pair, e in zip(TYPES, entries))


def coeffs(entries):
    return "".join(" coeff {} {} {}".format(*pair, " ".join(map(str, e))) for pair, e in zip(TYPES, entries))


def table(section, form, low=0.5, high=3.0, n=300, slopes=True):
    """A section of Lennard-Jones energies, as LAMMPS's manual of pair_style table describes it."""
    r = (bitmap(low, high, n) if form == "BITMAP" else np.sqrt(np.linspace(low**2, high**2, n)) if form == "RSQ"
         else np.linspace(low, high, n))
    lines = [f"{k + 1} {x:.17g} {4 * (x**-12 - x**-6):.17g} {24 * (2 * x**-13 - x**-7):.17g}" for k, x in enumerate(r)]
    end = [24 * (-26 * x**-14 + 7 * x**-8) for x in (low, high)]
    head = f"N {n}" + (f" {form} {low} {high}" if form else "") + (" FPRIME {} {}".format(*end) if slopes else "")
    return "\n".join([f"{section} of lj", head, "", *lines, "", ""])


def bitmap(low, high, n):
    """The distances of a BITMAP section in the order of its lines: r^2 has the bits i << shift, below those of low^2 or,
    where that is less than low^2, of high^2 (Pair::init_bitmap)."""
    of_exponent = 0
    while 2.0**2**of_exponent < high**2 / 2.0**np.floor(np.log2(low**2)):
        of_exponent += 1
    shift = 23 - (n.bit_length() - 1 - of_exponent)
    above = ~np.uint32((n << shift) - 1)
    lower, upper = (np.array([r**2], np.float32).view(np.uint32) & above for r in (low, high))
    bits = np.arange(n, dtype=np.uint32) << np.uint32(shift)
    squared = (bits | lower).view(np.float32)
    return np.sqrt(np.where(squared < low**2, (bits | upper).view(np.float32), squared).astype(float))


TABLES = {"lj.table": "# tables\n\n" + table("A", "RSQ") + table("B", "R", slopes=False) + table("C", "")
          + table("SAME", "RSQ", high=2.5, n=1000) + table("BITS", "BITMAP", high=2.5, n=4096)}
LAWS = {
    "yukawa": ("pair_style yukawa 0.8 2.5\n" + pair_coeffs(YUKAWA), "yukawa" + coeffs([(*e, 0.8) for e in YUKAWA])),
    "morse": ("pair_style morse 2.5\n" + pair_coeffs(MORSE), "morse" + coeffs(MORSE)),
    "buck": ("pair_style buck 2.5\n" + pair_coeffs(BUCK), "buck" + coeffs(BUCK)),
    **{"table" + style: (f"pair_style table {words}\npair_coeff 1 1 lj.table A 2.5\npair_coeff 1 2 lj.table B 2.5\n"
                         "pair_coeff 2 2 lj.table C 2.5\n",
                         f"table {words} coeff 1 1 lj.table A coeff 1 2 lj.table B coeff 2 2 lj.table C")
       for style, words in {"": "linear 1000", "-lookup": "lookup 3000", "-spline": "spline 300",
                            "-bitmap": "bitmap 12"}.items()},
    "table-bitmap-of-the-file": ("pair_style table bitmap 12\npair_coeff * * lj.table BITS 2.5\n",
                                 "table bitmap 12 coeff * * lj.table BITS"),
    "table-points-of-the-file": ("pair_style table linear 1000\npair_coeff * * lj.table SAME 2.5\n",
                                 "table linear 1000 coeff * * lj.table SAME"),
}
LISTED = "{pair}\nfix pairs all {fix} {law} {words} precision double backend {backend}\nfix_modify pairs energy yes virial yes\n"


def liquid(forces, pair=""):
    return (LIQUID.format(before="", lattice="fcc", box="block 0 4 0 4 0 4", bonds="", shake=0.02)
            + forces + OUTPUT + NVE + "timestep 0.001\nrun 100")


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("name", LAWS)
def test_beside_a_pair_style(name, ranks, backend):
    stock, words = LAWS[name]
    triad = LISTED.format(pair=ALONE, law=words, words="range list cutoff 2.5", **fix_of(backend))
    found = run_lammps(liquid(triad), files=TABLES, ranks=ranks)
    assert_same_course(run_lammps(liquid(stock), files=TABLES, ranks=ranks), found, 1e-8)


@pytest.mark.parametrize("name", ["yukawa", "morse", "buck", "table", "table-spline", "table-bitmap"])
def test_all_pairs_are_those_of_a_list(name, backend):
    """In an open box, with a cutoff beyond the extent of the atoms."""
    words = LAWS[name][1]
    scripts = [liquid(LISTED.format(pair="comm_modify cutoff 15", law=words, words=settings, **fix_of(backend)))
               for settings in ("", f"range list cutoff {2.9 if name.startswith('table') else 13}")]
    if name.startswith("table"):  # of which all pairs end where the table ends
        scripts = [script.replace("cutoff 2.9", "cutoff 3") for script in scripts]
    scripts = [script.replace("\nlattice", "\nboundary s s s\nlattice", 1).replace("run 100", "run 10") for script in scripts]
    first, second = (run_lammps(script, files=TABLES) for script in scripts)
    assert_same_course(first, second, 1e-8)


@pytest.mark.parametrize("words", ["lookup 30000", "linear 3000", "spline 300"])
def test_bitmap_sections_in_other_ways(words, backend):
    """LAMMPS interpolates a section with BITMAP by its bits only."""
    first, second = (run_lammps(liquid(LISTED.format(pair=ALONE, law=f"table {kind} coeff * * lj.table BITS",
                                                     words="range list cutoff 2.5", **fix_of(backend))), files=TABLES)
                     for kind in ("bitmap 12", words))
    energy, other = (run.runs[0]["PotEng"] for run in (first, second))
    assert other == pytest.approx(energy, rel=1e-4)
    assert np.any(other != energy)


# ---- formulas

LEPTON = {
    "lj": ("4*e*((s/r)^12-(s/r)^6)", [{"e": 1.0, "s": 1.0}, {"e": 0.9, "s": 1.05}, {"e": 0.8, "s": 1.1}]),
    "definitions": ("k*x^2*step(2.2-r); x=r-r0; k=3", [{"r0": 1.1}, {"r0": 1.3}, {"r0": 0.9}]),
    "functions": ("A*exp(-k*r)*cos(r)/r + erfc(r)*sqrt(r^3) + log(1+r)*r^-n + tanh(r)^2",
                  [{"A": 2, "k": 0.5, "n": 3}, {"A": -1, "k": 0.7, "n": 2.5}, {"A": 3, "k": 1, "n": 1}]),
    "choices": ("select(step(r-1.5), min(r, 2)^2, max(r, 1.2)*abs(sin(3*r)))", [{}, {}, {}]),
}


def formula_words(name):
    text, constants = LEPTON[name]
    entries = [" ".join(f"{key} {value}" for key, value in c.items()) for c in constants]
    return f'law "{text}"' + "".join(" coeff {} {} {}".format(*pair, e) for pair, e in zip(TYPES, entries) if e)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("name", LEPTON)
def test_formulas_beside_pair_style_lepton(name, ranks, backend):
    text, constants = LEPTON[name]
    condensed = text.replace(" ", "")
    stock = "pair_style lepton 2.5\n" + "".join(
        'pair_coeff {} {} "{}{}"\n'.format(*pair, condensed, "".join(f";{key}={value}" for key, value in c.items()))
        for pair, c in zip(TYPES, constants))
    triad = LISTED.format(pair=ALONE, law=formula_words(name), words="range list cutoff 2.5", **fix_of(backend))
    assert_same_course(run_lammps(liquid(stock), ranks=ranks), run_lammps(liquid(triad), ranks=ranks), 1e-8)


@pytest.mark.parametrize("settings", ["", "kernel onesided", "image none"])
def test_a_formula_of_gravity_beside_gravity(settings, precision, backend):
    """All pairs; single and mixed round in another order than the law with its own units."""
    def run(words):
        script = liquid(LISTED.replace("precision double", f"precision {precision} {settings}")
                        .format(pair=ALONE, law=words, words="", **fix_of(backend)))
        return run_lammps(script.replace("run 100", "run 10").replace("type/fraction 2 0.3", "type/fraction 2 0.0")
                          .replace("mass 2 2.0", "mass 2 1.0"))
    relative = {"double": 1e-9, "mixed": 3e-5, "single": 3e-5}[precision]
    assert_same_course(run("gravity 0.5 0.3"), run('law "-0.5/sqrt(r^2+eps^2)" coeff * * eps 0.3'), relative)


def test_powers_of_constants_that_are_negative_or_zero(backend):
    """Lepton's derivative of a power has the logarithm of the base, times the derivative of the exponent, which is zero."""
    def run(formula):
        return run_lammps(liquid(LISTED.format(pair=ALONE, law=f'law "{formula}"', words="range list cutoff 2.5",
                                               **fix_of(backend))).replace("run 100", "run 10"))
    found = run("q^2/r + z^3*r + 4*((s/r)^12-(s/r)^6) + (-2)^2/r; q=-1; z=-0.1; s=0")
    assert_same_course(run("q*q/r + z*z*z*r + 4/r; q=-1; z=-0.1"), found, 1e-11)


def test_a_table_of_other_units_in_a_folder_of_potentials(tmp_path, backend):
    """As stock does, LAMMPS looks for the file in LAMMPS_POTENTIALS, and a tag in its first line converts the energies."""
    (tmp_path / "far.table").write_text("# DATE: 2024-01-01 UNITS: real\n\n" + table("A", "R"))
    gas = ("units metal\nneighbor 0.3 bin\nregion box block 0 10 0 10 0 10\ncreate_box 1 box\ncreate_atoms 1 random 60 4711 box overlap 0.9\nmass 1 30\n"
           "{}thermo_style custom step pe press\nthermo_modify norm no format float %.17g\nfix move all nve\nrun 5\n")
    stock = "pair_style table linear 1000\npair_coeff * * far.table A 2.5\n"
    words = "range list cutoff 2.5"
    triad = LISTED.format(pair=ALONE, law="table linear 1000 coeff * * far.table A", words=words, **fix_of(backend))
    runs = [run_lammps(gas.format(forces), env={"LAMMPS_POTENTIALS": str(tmp_path)}) for forces in (stock, triad)]
    for column in ("PotEng", "Press"):
        assert runs[1].runs[0][column] == pytest.approx(runs[0].runs[0][column], rel=1e-9)
    assert "Converting" in runs[1].errors
    missing = run_lammps(gas.format(triad), env={"LAMMPS_POTENTIALS": ""}, check=False)
    assert missing.returncode != 0 and "table file far.table" in missing.errors and "LAMMPS_POTENTIALS" in missing.errors


# ---- listed pairs

PAIRS = list(itertools.combinations(range(1, 257), 2))


def listed(law, parameters):
    return {"all.pairs": "".join(f"{i} {j} {law} {parameters}\n" for i, j in PAIRS)}


@pytest.mark.parametrize("law, parameters, stock", [
    ("lj", "0.9 1.05", "pair_style lj/cut 2.5\npair_coeff * * 0.9 1.05\n"),
    ("morse", "1.2 3 1.1", "pair_style morse 2.5\npair_coeff * * 1.2 3 1.1\n"),
    ("lj/gromacs", "0.9 1.05 1.4 2.5", "pair_style lj/gromacs 1.4 2.5\npair_coeff * * 0.9 1.05\n"),
    ("lj/gromacs", "0.9 1.05 1.0 2.5", "pair_style lj/gromacs 1.0 2.5\npair_coeff * * 0.9 1.05\n"),
    ("lj/gromacs", "0 0 1.0 2.5", "pair_style lj/gromacs 1.0 2.5\npair_coeff * * 0 0\n")])
@pytest.mark.parametrize("ranks", [1, 2])
def test_every_pair_listed_beside_a_pair_style(law, parameters, stock, ranks, backend):
    """All pairs are candidates, of which those within the cutoff act: the pairs of a pair style."""
    triad = LISTED.format(pair=ALONE, law="listed all.pairs", words="cutoff 2.5", **fix_of(backend))
    script = liquid(triad).replace("set group all type/fraction 2 0.3 771\n", "")
    found = run_lammps(script, files=listed(law, parameters), ranks=ranks)
    of_stock = run_lammps(script.replace(triad, stock), ranks=ranks)
    assert_same_course(of_stock, found, 1e-8)


CHAIN = """
units lj
atom_style bond
atom_modify map yes
boundary f f f
read_data chain.data
comm_modify cutoff 6
neighbor 0.4 bin
{forces}
velocity all create 1.0 87287 loop geom
"""
N = 40


def chain():
    """A zigzag of bonded beads, 0.97 apart."""
    atoms = "".join(f"{k + 1} 1 1 {0.84 * k} {0.485 * (k % 2)} 0\n" for k in range(N))
    bonds = "".join(f"{k} 1 {k} {k + 1}\n" for k in range(1, N))
    return {"chain.data": f"a chain\n\n{N} atoms\n1 atom types\n{N - 1} bonds\n1 bond types\n-20 60 xlo xhi\n-20 20 ylo yhi\n"
            f"-20 20 zlo zhi\n\nMasses\n\n1 1.0\n\nAtoms\n\n{atoms}\nBonds\n\n{bonds}\n"}


@pytest.mark.parametrize("ranks", [1, 2])
def test_bonds_and_contacts_beside_bond_and_pair_styles(ranks, backend):
    """FENE bonds are kept beside candidates with a cutoff that is shorter than the bonds."""
    lines = "".join(f"{k} {k + 1} fene 30.0 1.5 1.0 1.0\n" for k in range(1, N))
    lines += "".join(f"{i} {j} lj 0.7 0.3\n" for i, j in itertools.combinations(range(1, N + 1), 2))
    stock = ("bond_style fene\nbond_coeff 1 30.0 1.5 1.0 1.0\nspecial_bonds lj/coul 1 1 1\n"
             "pair_style lj/cut 0.9\npair_coeff * * 0.7 0.3\n")
    triad = "bond_style zero\nbond_coeff 1 1.0\n" + LISTED.format(pair="", law="listed net.pairs", words="cutoff 0.9", **fix_of(backend))
    run = OUTPUT + "fix integrate all nve\ntimestep 0.002\nrun 100"
    found, of_stock = (run_lammps(CHAIN.format(forces=forces) + run, files={**chain(), "net.pairs": lines}, ranks=ranks)
                       for forces in (triad, stock))
    assert_same_course(of_stock, found, 1e-8)


# ---- refused

BOX = """
units lj
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 single 1 2 3
create_atoms 1 single 1.4 2 3
create_atoms 1 single 6 2 3
mass 1 1.0
comm_modify cutoff 4
fix pairs all pairwise/triad {words} backend {backend}
run 0
"""
FILES = {**TABLES, "bad.table": "A\nN 2\n1 1 1 1\n", "law.pairs": "1 2 spring 1 1\n", "far.pairs": "1 3 fene 30 1.5 1 1\n",
         "torn.pairs": "1 2 fene 30 0.1 0 1\n", "good.pairs": "1 2 lj 1 1\n"}


@pytest.mark.parametrize("words, said", [
    ("listed nowhere.pairs", ["Cannot open", "nowhere.pairs"]),
    ("listed law.pairs", ["law.pairs:1: ", "'spring'", "harmonic, fene"]),
    ("listed good.pairs range all", ["keyword range has no effect with the law listed"]),
    ("listed far.pairs cutoff 2", ["far.pairs:1: ", "exceeds the communication range"]),
    ("listed torn.pairs", ["not a finite number", "fene bond longer than 2 R0"]),
    ('law "4*(r+1"', ['in the formula "4*(r+1", character 3: this parenthesis is not closed']),
    ('law "ln(r)"', ["character 1: function ln is unknown", "sqrt, exp, log"]),
    ('law "1/r +"', ["character 6: the formula ends after an operator"]),
    ('law "a; a=b; b=a*r"', ["character 11: a definition uses a, which is defined before or by it"]),
    ('law "A/r"', ["no coeff for the type pairs 1 1", "coeff I J A value, or define"]),
    ('law "(r-2)^2.3" range list cutoff 1', ["not a finite number"]),
    ('law "A/r + k" coeff 1 1 A 2', ["coeff lacks the constant k"]),
    ('law "A/r" coeff 1 1 A x', ["A of coeff I J A value is x"]),
    ('law "1/r" coeff 1 1 B 2', ["keyword: B"]),
    ('law "a+b+c+d+e+f+g+h+i"', ["9 constants", "maximum is 8"]),
    ("yukawa coeff 1 1 1 -1", ["kappa of coeff I J A kappa", "-1"]),
    ("yukawa", ["no coeff for the type pairs 1 1"]),
    ("morse coeff 1 1 1 0 1", ["alpha", "0"]),
    ("buck coeff 1 1 1 0 1", ["rho", "0"]),
    ("table cubic 5", ["interpolation of table: cubic", "lookup, linear, spline, bitmap"]),
    ("table linear 1", ["number of points of table"]),
    ("table bitmap 4 coeff 1 1 lj.table A", ["table bitmap 4 does not fit distances from 0.5 to 3"]),
    ("table bitmap 25 coeff 1 1 lj.table A", ["more than 16777216 points"]),
    ("table linear 100 coeff 1 1 nowhere.table A", ["Cannot open", "nowhere.table"]),
    ("table linear 100 coeff 1 1 lj.table D", ["lj.table: there is no section 'D'"]),
    ("table linear 100 coeff 1 1 bad.table A", ["bad.table:1: ", "1 points instead of 2"]),
    ("table linear 100 coeff 1 1 lj.table A range list cutoff 3.5", ["cutoff 3.5 is outside of section A of lj.table", "0.5 to 3"]),
    ("table linear 100 coeff 1 1 lj.table A", ["not a finite number", "below the first distance of a table"])])
def test_refused(words, said, backend):
    if backend == "kokkos":
        pytest.skip("the messages are those of the fix without KOKKOS")
    result = run_lammps(BOX.format(words=words, backend=backend), files=FILES, check=False)
    assert result.returncode != 0
    for text in said:
        assert re.search(re.escape(text), result.errors), result.errors


def test_an_energy_that_is_not_finite_is_refused(backend):
    """The forces are finite."""
    if backend == "kokkos":
        pytest.skip("the messages are those of the fix without KOKKOS")
    words = 'law "1/r+k*k" coeff 1 1 k 1e300 precision double'
    script = BOX.format(words=words, backend=backend).replace("run 0", "{}thermo_style custom step f_pairs\nrun 1")
    result = run_lammps(script.format("thermo 1\n"), check=False)
    assert result.returncode != 0
    assert "fix pairs pairwise/triad: the energy at step 0 is inf; check the coefficients of 'law': the energy" in result.errors
    assert run_lammps(script.format("").replace("f_pairs", "atoms"), check=False).returncode == 0  # nothing reads it
