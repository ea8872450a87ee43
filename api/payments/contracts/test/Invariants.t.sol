// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {WebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";
import {HolderAccount} from "../HolderAccount.sol";
import {Settlement} from "../Settlement.sol";
import {UsdToken} from "../sandbox/UsdToken.sol";
import {Stand} from "./Cheats.sol";

/// Does at random what the world may do; remembers what was approved and what landed.
contract World is Stand {
    uint96 private constant LIMIT = 50_000_000;
    uint256 private constant HOLDERS = 3;
    address public constant HOME = address(0x40E);

    uint256 public minted;
    uint256 public batches;
    mapping(bytes32 approval => mapping(uint8 index => uint256)) public landedTimes;
    mapping(bytes32 approval => mapping(uint8 index => uint256)) public refundedTimes;
    bool public landedTwice;
    bool public movedWithoutApproval;

    constructor() {
        _deploy();
        vm.prank(SHOP);
        token.approve(address(settlement), type(uint256).max);
        for (uint256 holder = 0; holder < HOLDERS; holder++) deposit(holder, LIMIT);
    }

    function contracts() external view returns (address, address) {
        return (address(token), address(settlement));
    }

    function terms(uint256 holder, uint256 which) public pure returns (Settlement.Approval memory approval) {
        approval = _approval(1 + holder % HOLDERS, LIMIT);
        approval.salt = bytes32(which % 3);
        approval.validUntil = uint64(START + 20 days);
    }

    function deposit(uint256 holder, uint96 units) public {
        units = units % LIMIT;
        try token.mint(_accountOf(terms(holder, 0)), units) {
            minted += units;
        } catch {}
    }

    /// One capture; `forged` signs with another holder's key.
    function capture(uint256 holder, uint256 which, uint8 index, uint96 units, bool forged) external {
        index = index % 66;
        Settlement.Approval memory approval = terms(holder, which);
        bytes32 hash = settlement.approvalHash(approval);
        (,, uint64 landed,) = settlement.spending(hash);
        uint256 before = token.balanceOf(_accountOf(approval));
        uint256 key = 1 + (holder % HOLDERS + (forged ? 1 : 0)) % HOLDERS;
        Settlement.Capture[] memory captures = _one(_capture(key, approval, index, units % LIMIT));
        vm.prank(SPONSOR);
        try settlement.settle(bytes32(++batches), SHOP, captures, new Settlement.Refund[](0), 100) {
            landedTimes[hash][index] += 1;
            if (landedTimes[hash][index] > 1) landedTwice = true;
            if (forged && landed == 0) movedWithoutApproval = true;
        } catch {
            if (token.balanceOf(_accountOf(approval)) != before) movedWithoutApproval = true;
        }
    }

    function refund(uint256 holder, uint256 which, uint8 index, uint96 units) external {
        index = index % 8 == 7 ? 64 : index % 8;
        Settlement.Approval memory approval = terms(holder, which);
        bytes32 hash = settlement.approvalHash(approval);
        uint256 before = token.balanceOf(_accountOf(approval));
        Settlement.Refund[] memory refunds = new Settlement.Refund[](1);
        refunds[0] = _back(approval, index, units % LIMIT);
        vm.prank(SPONSOR);
        try settlement.settle(bytes32(++batches), SHOP, new Settlement.Capture[](0), refunds, 0) {
            refundedTimes[hash][index] += 1;
            if (refundedTimes[hash][index] > 1 || index > 63) landedTwice = true;
            if (token.balanceOf(_accountOf(approval)) != before + refunds[0].amount) movedWithoutApproval = true;
        } catch {
            if (token.balanceOf(_accountOf(approval)) != before) movedWithoutApproval = true;
        }
    }

    function withdraw(uint256 holder, uint96 units, bool bySponsor) external {
        Settlement.Approval memory approval = terms(holder, 0);
        HolderAccount account = HolderAccount(settlement.open(approval.x, approval.y, approval.recovery));
        account.requestWithdrawal(
            units, HOME, _assert(1 + holder % HOLDERS, account.withdrawalHash(units, HOME), 0x05)
        );
        if (bySponsor) vm.prank(SPONSOR);
        try account.withdraw() {
            if (!bySponsor) movedWithoutApproval = true;
        } catch {}
    }

    /// A withdrawal through the sponsor; `forged` signs with another holder's key.
    function release(uint256 holder, uint256 id, uint96 units, bool forged) external {
        Settlement.Approval memory approval = terms(holder, 0);
        address account = settlement.open(approval.x, approval.y, approval.recovery);
        uint256 before = token.balanceOf(account);
        uint256 key = 1 + (holder % HOLDERS + (forged ? 1 : 0)) % HOLDERS;
        units = units % LIMIT;
        bytes32 hash = HolderAccount(account).withdrawalHash(units, HOME);
        Settlement.Withdrawal memory withdrawal = Settlement.Withdrawal(
            keccak256(abi.encode("release", id % 8)), approval.x, approval.y, approval.recovery, units, HOME
        );
        WebAuthn.WebAuthnAuth memory assertion = _assert(key, hash, 0x05);
        vm.prank(SPONSOR);
        try settlement.release(withdrawal, assertion) {
            if (forged || token.balanceOf(account) != before - units) movedWithoutApproval = true;
        } catch {
            if (token.balanceOf(account) != before) movedWithoutApproval = true;
        }
    }

    function setBlocked(uint256 holder, bool blocked) external {
        token.setBlocked(_accountOf(terms(holder, 0)), blocked);
    }

    function setPaused(bool paused) external {
        if (token.paused() != paused) token.setPaused(paused);
    }

    /// After the delay a holder has everything, with the sponsor gone.
    function leave(uint256 holder) external returns (uint256 left) {
        Settlement.Approval memory approval = terms(holder, 0);
        HolderAccount account = HolderAccount(settlement.open(approval.x, approval.y, approval.recovery));
        if (token.paused()) token.setPaused(false);
        token.setBlocked(address(account), false);
        uint96 all = type(uint96).max;
        account.requestWithdrawal(
            all, HOME, _assert(1 + holder % HOLDERS, account.withdrawalHash(all, HOME), 0x05)
        );
        vm.warp(block.timestamp + 9 days);
        account.withdraw();
        return token.balanceOf(address(account));
    }
}

contract InvariantTest is Stand {
    World private world;

    function setUp() public {
        world = new World();
        (address token_, address settlement_) = world.contracts();
        token = UsdToken(token_);
        settlement = Settlement(settlement_);
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        bytes4[] memory selectors = new bytes4[](7);
        selectors[0] = World.deposit.selector;
        selectors[1] = World.capture.selector;
        selectors[2] = World.refund.selector;
        selectors[3] = World.withdraw.selector;
        selectors[4] = World.setBlocked.selector;
        selectors[5] = World.setPaused.selector;
        selectors[6] = World.release.selector;
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(world), selectors);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(world);
    }

    function invariant_money_is_conserved_within_approvals_once() public view {
        _conserved();
        _withinApprovals();
        require(!world.landedTwice(), "landed twice");
        require(!world.movedWithoutApproval(), "moved without approval");
    }

    function afterInvariant() public {
        for (uint256 holder = 0; holder < 3; holder++) _equal(world.leave(holder), 0, "left behind");
    }

    function _conserved() private view {
        _equal(token.balanceOf(address(settlement)), 0, "settlement holds");
        uint256 sum = token.balanceOf(SHOP) + token.balanceOf(TREASURY) + token.balanceOf(world.HOME());
        for (uint256 holder = 0; holder < 3; holder++) {
            sum += token.balanceOf(_accountOf(world.terms(holder, 0)));
        }
        _equal(sum, world.minted(), "conserved");
    }

    function _withinApprovals() private view {
        for (uint256 each = 0; each < 9; each++) {
            Settlement.Approval memory approval = world.terms(each / 3, each % 3);
            (uint64 spent, uint64 refunded,,) = settlement.spending(settlement.approvalHash(approval));
            require(spent <= approval.limit, "spent above the limit");
            require(refunded <= spent, "refunded above spent");
        }
    }
}
